"""The rules of the soak: a memory that goes on growing is named, and so is too much work."""

from bench.soak import Quarter, _grown, _slow


def quarters(*megabytes: float, cpu_seconds: float = 70.0) -> list[Quarter]:
    """Four quarters of 200 pull requests, after each of which a process holds so much."""
    return [Quarter(50 * at, 40.0, cpu_seconds, {"review": each}) for at, each in enumerate(megabytes, 1)]


def test_memory_has_to_level_off() -> None:
    """Caches that fill at the start, and data of GitHub and of the table, are no endless growth."""
    assert list(_grown({"review": 100}, quarters(180, 220, 240, 255))) == []
    assert list(_grown({}, quarters(140, 145, 146, 147))) == []
    assert list(_grown({"review": 100}, quarters(150, 200, 250, 300))) == [
        "review: 50 MB more after the first quarter, 50 MB more after the last one"
    ]


def test_the_work_has_to_fit_into_ten_minutes_of_two_cores() -> None:
    """CPU time is counted, for a machine may be busy with other things."""
    assert list(_slow(quarters(1, 1, 1, 1))) == []
    assert list(_slow(quarters(1, 1, 1, 1, cpu_seconds=400))) == ["1600 CPU seconds, of 1260"]

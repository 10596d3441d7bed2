"""The folder in which the local system keeps what it knows."""

import stat
from pathlib import Path

import pytest

from local.folder import UnusableFolder, locked_folder


def test_a_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    """An existing empty folder, open to everybody, becomes private too."""
    (tmp_path / "open").mkdir(mode=0o755)

    for folder in (tmp_path / "new" / "data", tmp_path / "open"):
        with locked_folder(folder) as given:
            assert given == folder
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_is_held_is_refused_until_it_is_let_go(tmp_path: Path) -> None:
    """Two would write over each other."""
    with (
        locked_folder(tmp_path / "data"),
        pytest.raises(UnusableFolder, match=f"^{tmp_path}/data is in use by another process$"),
    ):
        locked_folder(tmp_path / "data").__enter__()

    with locked_folder(tmp_path / "data"):
        pass


def test_a_folder_with_other_things_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    """Somebody's home is not made over by a slip."""
    (tmp_path / "notes.txt").write_text("mine")
    tmp_path.chmod(0o755)

    with pytest.raises(UnusableFolder, match=f"^{tmp_path} holds other things: name an empty folder"):
        locked_folder(tmp_path).__enter__()

    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_the_folder_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """Its format could be misread."""
    with locked_folder(tmp_path / "data") as folder:
        [mark] = folder.iterdir()
    assert mark.read_text() == "1\n"
    mark.write_text("2\n")

    with pytest.raises(UnusableFolder, match=f"^{folder} is kept in format 2, and only 1 is known here$"):
        locked_folder(folder).__enter__()


def test_a_file_in_the_place_of_the_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """It names the folder and the reason."""
    (tmp_path / "data").write_text("")

    with pytest.raises(UnusableFolder, match=f"^{tmp_path}/data cannot be used: File exists$"):
        locked_folder(tmp_path / "data").__enter__()

"""Prints how large the built functions and the layer are, and fails above Lambda's limit.

Source of the limit: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
(250 MB unzipped for a function together with its layers).
"""

import sys
from pathlib import Path

LIMIT = 250_000_000
AIM = 120_000_000
BIGGEST = 8


def size_of(path: Path) -> int:
    """Returns the bytes of a file, or of all files below a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def biggest_parts(layer: Path) -> list[tuple[str, int]]:
    """Returns the largest packages of the layer with their bytes, largest first."""
    parts = [(part.name, size_of(part)) for part in (layer / "python").iterdir()]
    return sorted(parts, key=lambda part: -part[1])[:BIGGEST]


def main(arguments: list[str]) -> int:
    """Prints the sizes below the build folder; returns 1 when a function would be refused."""
    build = Path(arguments[0] if arguments else ".aws-sam/build")
    sizes = {folder.name: size_of(folder) for folder in sorted(build.iterdir()) if folder.is_dir()}
    layers = {name: size for name, size in sizes.items() if (build / name / "python").is_dir()}
    together = sum(layers.values()) + max((sizes[name] for name in sizes if name not in layers), default=0)
    lines = [f"{name:24}{size / 1e6:9.2f} MB unzipped" for name, size in sizes.items()]
    for name in layers:
        lines += [f"  {part:22}{size / 1e6:9.2f} MB" for part, size in biggest_parts(build / name)]
    verdict = "too large" if together > LIMIT else "more than wanted" if together > AIM else "fine"
    lines.append(f"function and layer together {together / 1e6:.1f} MB of {LIMIT / 1e6:.0f} MB: {verdict}")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if together > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

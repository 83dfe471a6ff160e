"""``python -m tests.near [BASE]``: name the tests that a change is likely to break.

Prints test files, one a line, for everything that differs from BASE (HEAD: what is not committed):
the tests of each changed room, the tests of modules that import a changed module, and the tests
that import it themselves. A room's tests are in the folder of the same name under ``tests``.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
# The same packages as import-linter's.
PACKAGES: tuple[str, ...] = tuple(
    tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "root_packages"
    ]
)


def find_tests(changed: Iterable[str]) -> list[str]:
    """Return the test files near the changed files; all paths are relative to the project, with
    slashes.
    """
    found: set[Path] = set()
    for name in changed:
        path = Path(name)
        if path.parts[0] == "tests":
            found |= _tests_at(path)
        elif path.parts[0] in PACKAGES:
            found |= _tests_of_room(path.parent)
            if path.suffix == ".py" and path.stem != "__init__":
                for importer in _importers(".".join(path.with_suffix("").parts)):
                    found |= _tests_of_module(importer)
        elif path.parts[0] == "templates":
            found |= _tests_of_room(Path(*path.parts[1:-1]))
    return sorted(str(path) for path in found)


def _tests_at(path: Path) -> set[Path]:
    """Return the changed test file itself; for a test helper, the test files that import it."""
    if path.name.startswith("test_") and (ROOT / path).is_file():
        return {path}
    if path.suffix != ".py":
        return set()
    importers = _importers(".".join(path.with_suffix("").parts))
    return {file for file in map(_file_of, importers) if file.name.startswith("test_")}


def _tests_of_room(room: Path) -> set[Path]:
    """Return every test file in the folder under ``tests`` that is named like the room, without
    subfolders.
    """
    return {path.relative_to(ROOT) for path in (ROOT / "tests" / room).glob("test_*.py")}


def _tests_of_module(module: str) -> set[Path]:
    """Return the module's own test file; a test module is its own."""
    path = _file_of(module)
    if path.parts[0] != "tests":
        path = Path("tests", *path.parts[:-1], f"test_{path.name}")
    return {path} if path.name.startswith("test_") and (ROOT / path).is_file() else set()


def _file_of(module: str) -> Path:
    return Path(*module.split(".")).with_suffix(".py")


@cache
def _graph() -> grimp.ImportGraph:
    # The folder is import-linter's, which reads the same packages.
    return grimp.build_graph("tests", *PACKAGES, cache_dir=str(ROOT / ".import_linter_cache"))


def _importers(module: str) -> set[str]:
    graph = _graph()
    return graph.find_modules_that_directly_import(module) if module in graph.modules else set()


def _changed(base: str) -> Iterator[str]:
    for command in (
        ["git", "diff", "--name-only", base],
        ["git", "ls-files", "--others", "--exclude-standard"],
    ):
        yield from subprocess.check_output(command, cwd=ROOT, text=True).splitlines()


def main() -> int:
    """Print the test files. Answer 1 if no test is near the change."""
    tests = find_tests(_changed(*sys.argv[1:2] or ["HEAD"]))
    print("\n".join(tests))
    return 0 if tests else 1


if __name__ == "__main__":
    sys.exit(main())

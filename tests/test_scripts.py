"""Scripts of the site: their style, and the names under which they are served."""

from __future__ import annotations

import re
import shutil
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from skirmish.static_files import HashedFiles

STATIC = Path(__file__).parent.parent / "static"
SCRIPTS = [
    path for path in sorted(STATIC.rglob("*.js")) if "vendor" not in path.relative_to(STATIC).parts
]
LONGEST_LINE = 130
FUNCTION = re.compile(r"\s*(?:export )?(?:async )?function\b")
ARROW = re.compile(r"(?:export )?const \w+ = (?:async )?(?:\([^)]*\)|\w+) =>")
VARIABLE = re.compile(r"(?:export )?(?:let|var)\b")
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\"[^\"]*\"|`[^`]*`")
CONDITION = re.compile(r"(?:else )?(?:if|for|while) |else ")
KEYWORD = re.compile(r"(?:return|throw|const|let|export|import)\b")
DECLARATION = re.compile(r"(?:const|let)\b")
IMPORT = re.compile(r"""\b(?:from|import)\s*\(?\s*"(\.[^"]+)""")


def faults(text: str) -> list[str]:
    """Return the lines of a script that are not plain statements, and functions without an
    explanation.
    """
    lines = text.splitlines()
    found = []
    for before, line in zip(["", *lines], lines, strict=False):
        if (
            len(line) > LONGEST_LINE
            or (FUNCTION.match(line) and not before.endswith("*/"))
            or ARROW.match(line)
            or VARIABLE.match(line)
            or (begins_statement(before) and is_chain(line))
        ):
            found.append(line)
    return found


def begins_statement(before: str) -> bool:
    """Whether a statement begins after a line."""
    before = before.strip()
    return not before or before.startswith(("//", "*/")) or before.endswith((";", "{", "}", "*/"))


def is_chain(line: str) -> bool:
    """Whether a statement hides others behind ``&&``, ``||``, ``?`` or a comma."""
    line, shorter = "", line.strip()
    while line != shorter:
        line, shorter = shorter, BRACKETS.sub("_", shorter)
    if not line.endswith(";") or line.startswith("}"):
        return False
    line = CONDITION.sub("", re.sub(r"^((?:else )?(?:if|for|while)) _ ", r"\1 ", line))
    if DECLARATION.match(line):
        return ", " in line
    is_value = KEYWORD.match(line) or re.search(r"(?<![=!<>])=(?![=>])", line)
    return ", " in line or (not is_value and bool(re.search(r" (?:&&|\|\||\?) ", line)))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(STATIC)))
def test_script_is_made_of_plain_statements_and_explains_its_functions(script: Path) -> None:
    assert faults(script.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "function draw() {",
        "  async function draw() {",
        "let number = 0;",
        "const draw = (figure) => {",
        "ready && draw();",
        "ready || draw(one, other);",
        "ready ? draw() : wait();",
        "if (ready) many && draw();",
        "const one = 1, other = f(1, 2);",
        "one = 1, other = 2;",
    ],
)
def test_style_check_of_scripts_finds_a_fault(line: str) -> None:
    assert faults(line) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "/** Draws. */\nfunction draw() {",
        "if (ready && many) draw(one, other);",
        "const number = ready ? draw(one, other) : 0;",
        "shown ||= ready && many;",
        "return ready && draw();",
        "const { one, other } = state;",
        'element.textContent = "one && other, and more";',
    ],
)
def test_style_check_of_scripts_accepts_plain_statements(text: str) -> None:
    assert faults(text) == []


def imports(script: Path) -> list[Path]:
    """Return the scripts that a script imports, immediately or later."""
    return [
        (script.parent / address).resolve() for address in IMPORT.findall(script.read_text("utf-8"))
    ]


def test_every_import_leads_to_a_script() -> None:
    found = [imported for script in SCRIPTS for imported in imports(script)]
    assert len(found) > 20
    assert [path for path in found if not path.is_file()] == []


def test_no_script_imports_itself_through_others() -> None:
    """Otherwise collecting the static files fails: each name has a hash of the names inside."""
    graph = {script.resolve(): imports(script) for script in SCRIPTS}
    TopologicalSorter(graph).prepare()


def hash_scripts(folder: Path) -> HashedFiles:
    """Collect all scripts into a folder, under names with a hash of their content."""
    names = []
    for path in (path for kind in ("*.js", "*.mjs") for path in STATIC.rglob(kind)):
        names.append(path.relative_to(STATIC).as_posix())
        (copy := folder / names[-1]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    storage = HashedFiles(location=folder, base_url="/static/")
    outcomes = list(storage.post_process({name: (storage, name) for name in names}))
    assert [outcome for outcome in outcomes if isinstance(outcome[2], Exception)] == []
    return storage


@pytest.mark.long
def test_hashed_scripts_import_each_other_under_the_names_that_pages_use(tmp_path: Path) -> None:
    """A script under two names would be loaded twice, each time with a separate state."""
    storage = hash_scripts(tmp_path)
    for script in SCRIPTS:
        name = script.relative_to(STATIC).as_posix()
        hashed = tmp_path / storage.stored_name(name)
        assert hashed.name != script.name
        wanted = [
            (tmp_path / storage.stored_name(path.relative_to(STATIC).as_posix())).resolve()
            for path in imports(script)
        ]
        assert imports(hashed) == wanted, name

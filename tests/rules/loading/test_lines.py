"""Line numbers of mistakes: every value of a TOML file has its line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from rules.loading.lines import Place, lines_of
from tests.rules.conftest import BOOKS

FILES = sorted(BOOKS.glob("*/*.toml"))


def places(value: object, place: Place = ()) -> Iterator[Place]:
    if place:
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
    for key, content in inner:
        if isinstance(content, dict | list):
            yield from places(content, (*place, key))
        else:
            yield (*place, key)


def test_lines_of_finds_exactly_the_places_of_a_file() -> None:
    for path in FILES:
        text = path.read_text("utf-8")
        assert lines_of(text).keys() == set(places(tomllib.loads(text))), path


ODD = '''
a.b = 1   # [[not]] = "this"
"quoted . key" = 'x = [1'
date = 1979-05-27 07:32:00
share = -1.5e3
text = """
[[ranks]]
name = \\"""no\\"""
"""
raw = \'\'\'
[x]\'\'\'
list = [
    1, # one, two
    [2, { deep = "," }],
]
none = []
[table]
x = {}
[[rows]]
key = "a"
    [rows.inner]
    y = 1
    [[rows.inner.deeper]]
    z = { en = "]", fr = "}" }
[[rows]]
key = "b"
[[rows.parts]]
q = 1
[[rows.parts]]
q = 2'''


def test_lines_of_reads_an_odd_file() -> None:
    assert {".".join(map(str, place)): line for place, line in lines_of(ODD).items()} == {
        "a": 2,
        "a.b": 2,
        "quoted . key": 3,
        "date": 4,
        "share": 5,
        "text": 6,
        "raw": 10,
        "list": 12,
        "list.0": 13,
        "list.1": 14,
        "list.1.0": 14,
        "list.1.1": 14,
        "list.1.1.deep": 14,
        "none": 16,
        "table": 17,
        "table.x": 18,
        "rows": 19,
        "rows.0": 19,
        "rows.0.key": 20,
        "rows.0.inner": 21,
        "rows.0.inner.y": 22,
        "rows.0.inner.deeper": 23,
        "rows.0.inner.deeper.0": 23,
        "rows.0.inner.deeper.0.z": 24,
        "rows.0.inner.deeper.0.z.en": 24,
        "rows.0.inner.deeper.0.z.fr": 24,
        "rows.1": 25,
        "rows.1.key": 26,
        "rows.1.parts": 27,
        "rows.1.parts.0": 27,
        "rows.1.parts.0.q": 28,
        "rows.1.parts.1": 29,
        "rows.1.parts.1.q": 30,
    }
    assert set(lines_of(ODD)) == set(places(tomllib.loads(ODD)))


def test_lines_of_returns_no_lines_for_an_empty_file() -> None:
    assert lines_of("") == lines_of("# nothing\n\n") == {}

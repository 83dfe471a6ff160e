"""Files are measured before they are parsed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.measuring import BadData, Limits, in_pieces, measure, parse

SMALL = Limits(size=10_000, depth=6, values=500, keys=20)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
WIDE = Limits(size=1_000_000, depth=60, values=100_000)


@pytest.mark.long
@given(ANYTHING, st.booleans(), st.sampled_from([None, 1]))
def test_valid_json_is_parsed_unchanged(data: object, plain: bool, indent: int | None) -> None:
    text = json.dumps(data, ensure_ascii=plain, indent=indent)
    assert parse(text.encode("utf-8", "surrogatepass"), WIDE) == data


@pytest.mark.long
@given(st.lists(st.dictionaries(st.text(), ANYTHING, max_size=3)), ANYTHING, st.booleans())
def test_pieces_are_the_items_of_the_list(
    games: list[dict[str, object]], rest: object, plain: bool
) -> None:
    data = {"rest": rest, "games": games, "after": {"games": [1], "gangs": [{}]}}
    content = json.dumps(data, ensure_ascii=plain).encode()
    pieces = in_pieces(content, WIDE, ("games", "gangs"), WIDE, WIDE)
    assert list(pieces.each("games")) == games
    assert list(pieces.each("gangs")) == []
    assert pieces.head == {**data, "games": []}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b" " * 10_001, "too_big"),
        (b"\xff", "not_text"),
        ('{"a": 1}'.encode("utf-16"), "not_text"),
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"[}", "not_json"),
        (b"]", "not_json"),
        (b'["', "not_json"),
        (b'"\\"', "not_json"),
        (b"[1,,2]", "not_json"),
        (b"[1]]", "not_json"),
        (b'{"a": 1, "a": 2}', "not_json"),
        (b"[" + b"9" * 5_000 + b"]", "not_json"),
        (b"[NaN]", "bad_number"),
        (b"[-Infinity]", "bad_number"),
        (b"[[[[[[[1]]]]]]]", "too_deep"),
        (b"[" + b"1," * 600 + b"1]", "too_many"),
        (b"[" + b"{}," * 600 + b"1]", "too_many"),
        (b"{" + b",".join(b'"%d":1' % number for number in range(21)) + b"}", "too_many"),
        (b"{" + b",".join(b'"%d\\\\":1' % number for number in range(21)) + b"}", "too_many"),
        (b"{" + b",".join(b'"%d" :[]' % number for number in range(21)) + b"}", "too_many"),
    ],
)
def test_invalid_json_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(BadData) as refused:
        parse(content, SMALL)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"games": [{}, 1, {}]}', "not_json"),
        (b'{"games": [{} {}]}', "not_json"),
        (b'{"games": [{}], "games": [{}]}', "not_json"),
        (b'{"games": [' + b"{}," * 10_001 + b"{}]}", "too_many"),
        (b'{"x": [' + b"1," * 600 + b'1], "games": [{}]}', "too_many"),
        (b'{"games": [{' + b",".join(b'"%d":1' % n for n in range(1001)) + b"}]}", "too_many"),
    ],
)
def test_invalid_pieces_are_refused(content: bytes, code: str) -> None:
    with pytest.raises(BadData) as refused:
        list(in_pieces(content, WIDE, ("games",), SMALL, SMALL).each("games"))
    assert refused.value.code == code


def test_piece_is_measured_when_it_is_read() -> None:
    big = b'{"games": [{"a": 1}, {"a": [' + b"1," * 600 + b"1]}]}"
    found = in_pieces(big, WIDE, ("games",), SMALL, SMALL).each("games")
    assert next(found) == {"a": 1}
    with pytest.raises(BadData, match="too_many"):
        next(found)


def test_brackets_in_texts_are_ignored() -> None:
    text = '{"games": [{"note": "],{[\\"}"}], "x": "\\\\"}'
    pieces = in_pieces(text.encode(), SMALL, ("games",), SMALL, SMALL)
    assert list(pieces.each("games")) == [{"note": '],{["}'}]
    assert pieces.head == {"games": [], "x": "\\"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ([[[[[[[1]]]]]]], "too_deep"),
        ([0] * 501, "too_many"),
        ([float("inf")], "bad_number"),
        ([10**10], "bad_number"),
        (["\x00"], "bad_text"),
        ({"\ud800": 1}, "bad_text"),
    ],
)
def test_parsed_data_is_also_measured(data: object, code: str) -> None:
    with pytest.raises(BadData, match=code):
        measure(data, SMALL)

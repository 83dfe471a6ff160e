"""Of a page only those parts are sent again that read otherwise than before."""

from __future__ import annotations

import pytest

from gangs.builder.parts import difference, read, without_marks


def part(id: str, inside: str, tag: str = "p") -> str:
    return f'<!--part--><{tag} id="{id}">{inside}</{tag}><!--/part-->'


LONG = "this is as it was before " * 8


def test_what_is_as_it_was_is_not_sent() -> None:
    page = f"<i>head</i>{part('a', 'one')}{part('b', 'two')}"
    assert difference(page, page) == "<i>head</i>"


def test_the_innermost_part_that_differs_is_sent() -> None:
    before = part("a", f"around {part('b', 'one')} and {part('c', 'two')}")
    after = part("a", f"around {part('b', 'one')} and {part('c', 'three')}")
    assert difference(before, after) == '<p hx-swap-oob="true" id="c">three</p>'


def test_what_is_around_parts_takes_them_along() -> None:
    before = part("a", f"around {part('b', 'one')}")
    after = part("a", f"elsewhere {part('b', 'one')}")
    assert difference(before, after) == (
        '<p hx-swap-oob="true" id="a">elsewhere <p id="b">one</p></p>'
    )


def test_one_more_and_one_less_in_a_list() -> None:
    before = part("a", part("b", "1") + part("c", "2"), "ul")
    after = part("a", part("b", "1") + part("d", "3"), "ul")
    assert difference(before, after) == (
        '<div id="c" hx-swap-oob="delete"></div>'
        '<div hx-swap-oob="afterend:#b"><p id="d">3</p></div>'
    )


def test_a_new_first_in_a_list() -> None:
    before = part("list", part("a", "a") + part("b", "b"), "ul")
    after = part("list", part("c", "c") + part("b", "b"), "ul")
    assert difference(before, after) == (
        '<div id="a" hx-swap-oob="delete"></div>'
        '<div hx-swap-oob="afterbegin:#list"><p id="c">c</p></div>'
    )
    before, after = (page.replace('"list">', '"list"> first ') for page in (before, after))
    assert 'hx-swap-oob="true" id="list"' in difference(before, after)


def test_what_belongs_behind_text_takes_its_surroundings_along() -> None:
    before = part("list", part("a", "a") + "<b>text</b>", "div")
    after = part("list", part("a", "a") + "<b>text</b>" + part("b", "b"), "div")
    assert difference(before, after) == without_marks(after).replace(
        '<div id="list">', '<div hx-swap-oob="true" id="list">'
    )


@pytest.mark.parametrize("ids", ["ba", "bca"])
def test_another_order_means_all(ids: str) -> None:
    before = part("list", part("a", "a") + part("b", "b"), "ul")
    after = part("list", "".join(part(id, id) for id in ids), "ul")
    assert difference(before, after) == without_marks(after).replace(
        '<ul id="list">', '<ul hx-swap-oob="true" id="list">'
    )


def test_rows_are_wrapped_for_the_way() -> None:
    before = part("t", part("a", "1", "tbody"), "table")
    after = part("t", part("a", "2", "tbody") + part("b", "3", "tbody"), "table")
    assert difference(before, after) == (
        '<template><tbody hx-swap-oob="true" id="a">2</tbody></template>'
        '<table hx-swap-oob="afterend:#a"><tbody id="b">3</tbody></table>'
    )


def test_a_row_has_a_body_around_it_for_the_way() -> None:
    before = part("t", part("a", "1", "tr"), "tbody")
    after = part("t", part("a", "1", "tr") + part("b", "3", "tr"), "tbody")
    assert difference(before, after) == (
        '<template><tbody hx-swap-oob="afterend:#a"><tr id="b">3</tr></tbody></template>'
    )


def test_where_much_changes_place_the_list_is_shorter() -> None:
    ids = [f"row-{number}" for number in range(9)]
    names = " ".join(map(str, range(9)))
    rows = [part(id, LONG) for id in ids]
    before = part("one", "".join(rows), "div") + part("two", "", "div")
    after = part("one", "", "div") + part("two", "".join(rows), "div")
    assert difference(before, after) == (
        '<div hx-swap-oob="true" id="one"></div>'
        f'<div hx-swap-oob="true" id="two"><template data-kept="row- {names}"></template></div>'
    )


def test_what_only_changed_its_place_is_named() -> None:
    a, b, c = (part(id, LONG) for id in "abc")
    before = part("one", f"head {a}{b}{c}", "div") + part("two", "", "div")
    after = part("one", "", "div") + part("two", f"head {b}{c}{a}", "div")
    assert difference(before, after) == (
        '<div hx-swap-oob="true" id="one"></div>'
        '<div hx-swap-oob="true" id="two">head <template data-kept=" b c a"></template></div>'
    )


def test_what_changed_its_place_and_a_little_of_it_is_named_and_told() -> None:
    def row(state: str) -> str:
        return part("a", LONG + part("a-is", state, "b"), "p")

    before = part("one", row("cheap"), "div") + part("two", "", "div")
    after = part("one", "", "div") + part("two", row("dear"), "div")
    assert difference(before, after) == (
        '<div id="a" hx-swap-oob="delete"></div>'
        '<div hx-swap-oob="afterbegin:#two"><template data-kept=" a"></template></div>'
        '<b hx-swap-oob="true" id="a-is">dear</b>'
    )


@pytest.mark.parametrize("field", ["<input>", "<details></details>", "<form></form>"])
def test_what_is_filled_in_by_hand_is_never_only_named(field: str) -> None:
    """Written again from the page, it would be as it was sent, not as it is."""
    a = part("a", LONG + field)
    before = part("one", a, "div") + part("two", "", "div")
    after = part("one", "", "div") + part("two", a, "div")
    assert LONG in difference(before, after)


def test_one_space_is_enough_but_in_what_somebody_typed() -> None:
    typed = "<textarea>a\n\n  b</textarea>"
    assert without_marks(f"<p>a\n\n  b </p>\n\n   {typed}<b>d</b>") == (
        f"<p>a b </p> {typed}<b>d</b>"
    )


def test_what_says_itself_where_it_goes_stays_as_it_is() -> None:
    page = '<!--part--><p id="a" hx-swap-oob="beforeend:#b">1</p><!--/part-->'
    assert difference("", page) == without_marks(page)


def test_a_part_has_an_id() -> None:
    with pytest.raises(ValueError, match="without an id"):
        read("<!--part--><p>text</p><!--/part-->")


def test_of_lines_and_steps_one_space_is_left() -> None:
    page = "<p>\n  Rang\u00a0: chef\u202f!\t</p>\n<textarea>\n  a\n b</textarea>\n "
    assert without_marks(page) == (
        "<p> Rang\u00a0: chef\u202f! </p> <textarea>\n  a\n b</textarea> "
    )

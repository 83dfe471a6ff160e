"""Expressions of a rulebook: their values, the names they need, and refusals."""

from fractions import Fraction
from random import Random

import pytest

from rules.engine.expressions import BadExpression, Unknown, Value, parse
from tests.rules.proofs.cases import formula, rounded


def test_random_expressions_match_plain_arithmetic() -> None:
    for seed in range(300):
        random = Random(seed)
        names = {name: random.randint(-3, 12) for name in ("one", "two", "three")}
        written, value = formula(random, 4, names)
        assert parse(written).work_out(names) == value, written
        assert parse(written).number(names) == rounded(value), written


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1 / 2", 1),
        ("3 / 2", 2),
        ("-1 / 2", 0),
        ("-3 / 2", -1),
        ("7 / 4", 2),
        ("5 / 4", 1),
        ("floor(7 / 2)", 3),
        ("ceil(7 / 2)", 4),
        ("abs(2 - 5)", 3),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("True + True", 2),
        ("1 < 2 < 3", 1),
        ("1 < 3 < 2", 0),
        ("not 3", 0),
        ("2 if 0 else 5", 5),
        ("max(1, 2, 3) - min(4, 5)", -1),
        ("range == 'long'", 1),
        ("range != 'long'", 0),
        (7, 7),
    ],
)
def test_an_expression_gives_its_number(written: int | str, number: int) -> None:
    assert parse(written).number({"range": "long"}) == number


def test_an_expression_lists_the_names_it_needs() -> None:
    expression = parse(
        "by.rc + hits.max if at.has_trait('quick', 'lucky') and by.leads() else cover"
    )
    assert expression.names == {
        "by.rc",
        "hits.max",
        "at.has_trait:quick",
        "at.has_trait:lucky",
        "by.leads:",
        "cover",
    }


def test_a_question_without_a_fact_is_false_and_items_are_counted() -> None:
    carried = parse("by.carries('bow', 'axe')")
    assert carried.number({}) == 0
    assert carried.number({"by.carries:bow": 2, "by.carries:axe": 1}) == 3
    assert not parse("by.leads()").holds({})
    assert parse("by.leads()").holds({"by.leads:": 1})


def test_only_the_chosen_branch_is_evaluated() -> None:
    assert parse("1 // n if n else 0").number({"n": 0}) == 0


def test_a_name_without_a_value_is_unknown() -> None:
    with pytest.raises(Unknown, match="by.rc"):
        parse("by.rc + 1").number({})


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("1 +", "“1 +” is not a valid expression"),
        ("a = 1", "“a = 1” is not a valid expression"),
        ("1.5", "“1.5” is not allowed in an expression"),
        ("[1]", "“[1]” is not allowed in an expression"),
        ("(lambda: 1)()", "“lambda: 1” is not a valid name"),
        ("a[0]", "“a[0]” is not allowed in an expression"),
        ("f'{a}'", "“f'{a}'” is not allowed in an expression"),
        ("2 ** 9", "only + - * / // and % are allowed"),
        ("1 | 2", "only + - * / // and % are allowed"),
        ("a in b", "compare only with == != < <= > and >="),
        ("a is b", "compare only with == != < <= > and >="),
        ("sum(1, 2)", "unknown function “sum” (known: min, max, floor, ceil, abs)"),
        ("__import__('os')", "unknown function “__import__” (known: min, max, floor, ceil, abs)"),
        ("max(1)", "wrong number of values in “max(…)”: give 2–9"),
        ("floor(1, 2)", "wrong number of values in “floor(…)”: give 1"),
        ("max(1, key=2)", "“max(1, key=2)” is not allowed in an expression"),
        ("by.owns('x')", "unknown question “by.owns(…)”"),
        (
            "item.has_trait('x')",
            "unknown question “item.has_trait(…)”. Did you mean “at.has_trait” or “by.has_trait”?",
        ),
        ("by.has_trait(x)", "“by.has_trait(…)” needs keys in quotes"),
        ("by.has_trait()", "“by.has_trait(…)” needs keys in quotes"),
        ("by.leads('x')", "“by.leads()” does not take keys"),
        ("(" * 40 + "1" + " + 1)" * 40, "too many levels of nesting"),
    ],
)
def test_parse_refuses_a_bad_expression_in_words(written: str, words: str) -> None:
    with pytest.raises(BadExpression) as refused:
        parse(written)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("1 // n", "division by 0"),
        ("1 % n", "division by 0"),
        ("1 / n", "division by 0"),
        ("range + 1", "“long” is text, which can only be compared"),
        ("not range", "“long” is text, which can only be compared"),
        ("range and 1", "“long” is text, which can only be compared"),
        ("1 if range else 2", "“long” is text, which can only be compared"),
        ("-range", "“long” is text, which can only be compared"),
        ("range < 3", "text cannot be compared with a number"),
        ("range", "“range” must give a number, not text"),
        ("999999 * 999999", "the result is too large"),
        ("1000000000", "the result of “1000000000” is too large"),
    ],
)
def test_number_refuses_an_impossible_operation_in_words(written: str, words: str) -> None:
    names: dict[str, Value] = {"n": 0, "range": "long"}
    with pytest.raises(BadExpression) as refused:
        parse(written).number(names)
    assert str(refused.value) == words


def test_a_text_is_not_a_condition() -> None:
    with pytest.raises(BadExpression):
        parse("range").holds({"range": "long"})


def test_fractions_stay_exact_until_a_number_is_needed() -> None:
    assert parse("1 / 3 + 1 / 6").work_out({}) == Fraction(1, 2)
    assert parse("(1 / 3 + 1 / 6) * 2").number({}) == 1

"""Explains in words of ours the mistakes that libraries find: ``tomllib`` and pydantic have
English words only."""

from __future__ import annotations

import re
from itertools import islice
from typing import get_args

from pydantic_core import ErrorDetails

from common.wording.sentences import Label, Sentence, say
from common.wording.sentences import gettext_noop as _
from common.wording.texts import CODE_PATTERN, USUAL
from rules.book.annotations import models_in
from rules.book.model import Book
from rules.book.rolls import STEPS, Step
from rules.book.suggesting import suggest
from rules.book.vocabulary import Frozen

PLACE = re.compile(r"(?P<what>.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
TWICE = _("a key or a table is defined twice")
BACKSLASH = _("a “\\” in a text must be written as “\\\\”")
UNCLOSED_TEXT = _("a text is not closed, or has a line break in it")
UNCLOSED_HEADING = _("a heading in brackets is not closed")
NO_KEY = _("a key or a heading is expected here")
OTHER = _("this cannot be read")
# By the beginning of what tomllib says; the first that fits.
TOML = {
    "Expected '=' after a key": _("“=” is missing after a key"),
    "Expected ']": UNCLOSED_HEADING,
    "Expected newline": _("something follows a value on the same line"),
    "Cannot ": TWICE,
    "Duplicate": TWICE,
    "An object other than list": TWICE,
    "There is no nest": TWICE,
    "Unescaped": BACKSLASH,
    "Escaped": BACKSLASH,
    "Invalid hex": BACKSLASH,
    "Unterminated string": UNCLOSED_TEXT,
    "Illegal character": UNCLOSED_TEXT,
    "Expected ": UNCLOSED_TEXT,
    "Unclosed array": _("a list is not closed"),
    "Unclosed inline table": _("a table in braces is not closed"),
    "Invalid date": _("a date is wrong"),
    "Invalid value": _("a value is missing or cannot be read: texts need quotes"),
    "Invalid initial character": NO_KEY,
    "Invalid statement": NO_KEY,
}


def explain_toml(error: ValueError) -> Sentence:
    """Return the sentence for a text that tomllib cannot read, with the place of the fault."""
    found = PLACE.fullmatch(str(error))
    said = found["what"] if found else str(error)
    what = next((words for start, words in TOML.items() if said.startswith(start)), OTHER)
    if found is None:
        return say(_("is not TOML: %(what)s"), what=what)
    if found[2] is None:
        return say(_("is not TOML: %(what)s (at the end of the file)"), what=what)
    message = _("is not TOML: %(what)s (line %(line)s, column %(column)s)")
    return say(message, what=what, line=found[2], column=found[3])


KEY = _("use only small letters, digits, - and _, and begin with a letter")
NAME = _("use only small letters, digits and _, and begin with a letter")
# An example, or the rule in words, for each pattern of a field.
EXAMPLES: dict[str, str] = {
    r"^#[0-9a-f]{6}$": "#0b5d5e",
    r"^([1-9]\d?d[1-9]\d?|d(44|66|88))$": "2d6",
    r"^[1-9]\d?d[1-9]\d?$": "2d6",
    r"^(\d{1,4}|[1-9]\d?d[1-9]\d?(x[1-9]\d{0,2})?([+-][1-9]\d{0,2})?)$": "2d6x10+5",
    r"^[1-9]\d?d[1-9]\d? [<>]= \d{1,4}$": "2d6 >= 9",
    r"^\d{1,2}(/[12])?$": "1/2",
    r"^[A-Z]$": "A",
    r"^[Mm][MmZzLlHhVvCcSsQqTtAa0-9 .,-]+$": "M4 4h24v24z",
    r"^[a-z][a-z0-9_]*(\.[a-z_]+)?$": "to_hit.target",
    CODE_PATTERN: USUAL[0],
    r"^[a-z][a-z0-9_-]{0,39}$": KEY,
    r"^[a-z][a-z0-9_]{0,39}$": NAME,
}


def explain_pattern(pattern: str) -> tuple[str, bool]:
    """Return an example of a text that fits a pattern, or a rule in words (False)."""
    found = EXAMPLES.get(pattern, pattern)
    return found, not isinstance(found, Label)


# The words of a step among which a wrongly spelled one is looked for.
MOST_WORDS = 20
IS_TABLE = _("must be a table")
IS_WHOLE = _("must be a whole number")
# The sentence for each kind of mistake that pydantic finds.
FORM = {
    "missing": _("is missing"),
    "int_type": IS_WHOLE,
    "int_from_float": IS_WHOLE,
    "finite_number": IS_WHOLE,
    "int_parsing": IS_WHOLE,
    "float_type": _("must be a number"),
    "float_parsing": _("must be a number"),
    "string_type": _("must be text"),
    "bool_type": _("must be true or false"),
    "bool_parsing": _("must be true or false"),
    "tuple_type": _("must be a list"),
    "dict_type": IS_TABLE,
    "model_type": IS_TABLE,
    "model_attributes_type": IS_TABLE,
    "frozen_set_type": _("must be a list"),
    "union_tag_not_found": _("needs a “kind”"),
    "string_too_short": _("must not be empty"),
    "union_tag_invalid": _("unknown kind “%(tag)s” (known: %(expected_tags)s)"),
    "literal_error": _("must be %(expected)s, not %(given)s"),
    "string_pattern_mismatch": _("%(given)s does not have the form “%(example)s”"),
    "greater_than_equal": _("must be at least %(ge)s, not %(given)s"),
    "less_than_equal": _("must be at most %(le)s, not %(given)s"),
    "greater_than": _("must be more than %(gt)s, not %(given)s"),
    "less_than": _("must be less than %(lt)s, not %(given)s"),
    "string_too_long": _("must have at most %(max_length)s characters"),
    "too_short": _("needs at least %(min_length)s"),
    "too_long": _("must have at most %(max_length)s entries"),
}


def explain_form(detail: ErrorDetails) -> str:
    """Return the sentence for a mistake that pydantic finds."""
    of_steps = detail["loc"][-2:-1] == ("steps",) and detail["loc"][0] != "campaign"
    if of_steps and detail["type"] == "union_tag_not_found":
        known = [model.word for model in STEPS]
        mistake = say(_("a step needs one of these words: %(words)s"), words=", ".join(known))
        written = detail["input"] if isinstance(detail["input"], dict) else {}
        suggested = (suggest(mistake, str(word), known) for word in islice(written, MOST_WORDS))
        return next((one for one in suggested if one is not mistake), mistake)
    if is_text(detail):
        example = ", ".join(f"{language} = …" for language in USUAL)
        return say(_("must be a text in each language: { %(example)s }"), example=example)
    if detail["type"] == "extra_forbidden":
        *_outer, word = detail["loc"]
        mistake = say(_("unknown word “%(word)s”"), word=str(word)[:60])
        return suggest(mistake, str(word), _words_at(detail["loc"][:-1]))
    words = FORM.get(detail["type"], _("does not have the expected form"))
    values = {**detail.get("ctx", {}), "given": repr(detail.get("input"))[:60]}
    if "pattern" in values:
        values["example"], is_example = explain_pattern(values["pattern"])
        words = words if is_example else _("%(given)s is not a valid key: %(example)s")
    first, _or, last = str(values.get("expected", "")).rpartition(" or ")
    if first:
        values["expected"] = say(_("%(one)s or %(other)s"), one=first, other=last)
    mistake = say(words, **values)
    if detail["type"] == "union_tag_invalid":
        return suggest(mistake, values["tag"], re.findall(r"\w+", values["expected_tags"]))
    return mistake


def _words_at(place: tuple[int | str, ...]) -> set[str]:
    """Return the words of the vocabulary for the model at a place that pydantic reports."""
    models: list[type[Frozen]] = [Book]
    before: int | str = ""
    for part in place:
        labelled = [model for model in models if part in _labels(model)]
        inside = [
            inner
            for model in models
            if isinstance(part, str) and part in model.model_fields
            for inner in models_in(model.model_fields[part].annotation)
        ]
        # The label of a row follows its number, even if the row has a field of that name.
        first, second = (labelled, inside) if isinstance(before, int) else (inside, labelled)
        is_field = any(part in model.model_fields for model in models)
        # The words inside a text are languages.
        models = first or second or ([] if is_field else models)
        before = part
    return {word for model in models for word in model.model_fields}


def _labels(model: type[Frozen]) -> tuple[object, ...]:
    """Return the labels of a model in pydantic's places: its name, its word, its kinds."""
    kind = model.model_fields.get("kind")
    word = model.word if issubclass(model, Step) else ""
    return (model.__name__, word, *get_args(kind.annotation if kind else None))


def is_text(detail: ErrorDetails) -> bool:
    """Whether a text in the languages of the site belongs here."""
    return detail["type"] == "text_type"

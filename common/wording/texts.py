"""Texts that are written in several languages, such as the texts of a rulebook.

A language is a tag as browsers send it ("fr", "fr-ch"). A reader's tag may say more, behind "-x-":
first the languages in which they read rulebooks, the best first, if these are others than that of
pages ("de-x-fr+en"); then the state of the translations that they see (``tag_reader``). ``OWN`` at
its end ("fr-x-own") asks for the abbreviations of these languages where a rulebook prints those of
another.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    RootModel,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

OWN = "-x-own"
# Between the language of pages and the rest of a reader's tag.
READS = "-x-"
# Before the state of translations in a reader's tag.
STATE = "@"
# The end of the key of a text with the abbreviations of its language ("fr_own").
OWN_KEY = "_own"
CODE_PATTERN = r"^[a-z]{2,3}(-[a-z0-9]{2,8})?$"
Code = Annotated[str, StringConstraints(pattern=CODE_PATTERN)]
TextKey = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[a-z0-9]{2,8})?(_own)?$")]
# Letters of a text in one language. A rule in a catalogue is often longer than a page.
LONGEST_LINE = 4_000
Line = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_LINE, strip_whitespace=True)
]
NO_WORDS: Mapping[str, str] = {}
# Every text of a book in any of these languages has all of them: digests depend on it.
USUAL: tuple[str, ...] = tuple(
    tomllib.loads(
        (Path(__file__).resolve().parents[2] / "locale/rulebooks.toml").read_text("utf-8")
    )["usual"]
)
# The language of a text whose reader has another.
FIRST = USUAL[0]


class Text(RootModel[dict[TextKey, Line]]):
    """One text in some languages: a map from a language's code to words, as in a rulebook's file.

    If a rulebook prints abbreviations of another language ("HP" in a French book), the key "fr_own"
    has those that French players would write ("PS"), for readers who chose them.
    """

    model_config = ConfigDict(frozen=True)

    # The reader of a book's files passes ``context={"languages": …}``: then a text must have
    # exactly these languages.

    @model_validator(mode="before")
    @classmethod
    def _check_languages(cls, data: Any, info: ValidationInfo) -> Any:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise PydanticCustomError("text_type", "must be a text in each language")
        languages: Sequence[str] = (info.context or {}).get("languages", ())
        wrong = [_wrong("missing", code, data) for code in languages if code not in data]
        if languages:
            known = {code + end for code in languages for end in ("", OWN_KEY)}
            wrong += [_wrong("extra_forbidden", key, data[key]) for key in data if key not in known]
        elif not data:
            wrong = [_wrong("missing", FIRST, data)]
        if wrong:
            raise ValidationError.from_exception_data(cls.__name__, wrong)
        return data

    def __hash__(self) -> int:
        return hash(frozenset(self.root.items()))

    def __getitem__(self, key: str) -> str:
        return self.root[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:  # type: ignore[override]
        """Yield each key with its words."""
        yield from self.root.items()

    @property
    def first(self) -> str:
        """The text in English, or in the first of its languages; programs and logs show it."""
        return self.root.get(FIRST) or next(iter(self.root.values()))

    @property
    def added(self) -> Mapping[str, str]:
        """Its words in other languages, by code, which ``set_added`` has set. They are not part of
        the text: equality, the canonical form and files leave them out."""
        words: Mapping[str, str] = self.__dict__.get("words", NO_WORDS)
        return words

    def set_added(self, words: Mapping[str, str], fillers: Collection[str] = ()) -> None:
        """Replace its words in other languages. ``fillers``: keys under which it repeats the words
        of another language, as every text of a rulebook in one language does."""
        if words or self.added:
            self.__dict__["words"], self.__dict__["fillers"] = words, fillers

    @property
    def languages(self) -> tuple[str, ...]:
        """The tags of its languages, as ``translated`` takes them."""
        return tuple(
            key.removesuffix(OWN_KEY) + OWN if key.endswith(OWN_KEY) else key for key in self.root
        )

    def translated(self, language: str) -> str:
        """The text in ``language``, or in the nearest language that it has."""
        words, added = self.root, self.added
        fillers = self.__dict__["fillers"] if added else ()
        for key in text_keys(language):
            found = added.get(key) or (None if key in fillers else words.get(key))
            if found:
                return found
        return self.first

    def filled(self, values: Mapping[str, object]) -> Text:
        """The text with values in its placeholders ("{key}"), each in its language."""
        return in_each(
            [self],
            lambda language: self.translated(language).format_map(
                {key: in_language(value, language) for key, value in values.items()}
            ),
        )


def read_languages(data: object) -> tuple[str, ...]:
    """Return the languages that a book's data names; the usual ones if it names none, or if
    something else is in their place."""
    if isinstance(data, list) and data:
        known = [one for one in data if isinstance(one, str) and re.fullmatch(CODE_PATTERN, one)]
        return tuple(known) if len(known) == len(data) else USUAL
    return USUAL


def needed(languages: Sequence[str]) -> tuple[str, ...]:
    """Return the languages that each text of a book in these languages has."""
    return USUAL if {*languages} <= {*USUAL} else tuple(languages)


def in_each(texts: Iterable[Text], word: Callable[[str], str]) -> Text:
    """Return the text that ``word`` gives for each language of ``texts``."""
    found = {language for text in texts for language in (*text.languages, *text.added)}
    return Text({text_keys(language)[0]: word(language) for language in sorted(found)})


def in_languages(value: Any, languages: Sequence[str], before: Sequence[str]) -> Any:
    """Return a rulebook's data with its texts in the languages of a game, and in no others.
    ``before``: the languages that they were in."""
    if isinstance(value, list):
        return [in_languages(one, languages, before) for one in value]
    if not isinstance(value, dict):
        return value
    if not is_text_in(value, before):
        return {name: in_languages(one, languages, before) for name, one in value.items()}
    known = {key: value[key] for key in languages if value.get(key)}
    first = next(iter((known or value).values()))
    own = {key: words for key, words in value.items() if key.removesuffix(OWN_KEY) in languages}
    return {key: known.get(key, first) for key in needed(languages)} | {
        key: words for key, words in own.items() if key.endswith(OWN_KEY)
    }


def is_text_in(value: object, languages: Iterable[str]) -> bool:
    """Whether a value is a text in one of the usual languages, or of these ``languages``."""
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        return False
    return not value.keys().isdisjoint((*USUAL, *languages))


def in_language(value: Any, language: str) -> Any:
    """Return a text, label or sentence in ``language``, and any other value as it is."""
    translated = getattr(value, "translated", None)
    return value if translated is None else translated(language)


def tag_reader(page: str, reads: Sequence[str], state: str = "") -> str:
    """Return the tag of a reader.

    ``page``: the language of pages. ``reads``: the languages of rulebooks, the best first; with
    none, that of pages. ``state``: of the translations that the reader sees; a tag with another
    state is another key of caches.
    """
    chosen = "" if tuple(reads) in ((), (page,)) else "+".join(reads)
    more = f"{chosen}{STATE}{state}" if state else chosen
    return f"{page}{READS}{more}" if more else page


def page_language(language: str) -> str:
    """The language of pages in a reader's tag."""
    return language.partition(READS)[0]


def read_languages_of(language: str) -> tuple[str, ...]:
    """The languages in which the reader with this tag reads rulebooks, the best first."""
    page, _, more = language.removesuffix(OWN).partition(READS)
    chosen = more.partition(STATE)[0]
    return tuple(chosen.split("+")) if chosen else (page,)


@lru_cache(maxsize=256)
def text_keys(language: str) -> tuple[str, ...]:
    """The keys under which a text may have the words of a reader's languages, the best first."""
    keys: list[str] = []
    for one in (*read_languages_of(language), page_language(language)):
        tags = tuple(dict.fromkeys((one, one.partition("-")[0])))
        keys += [tag + OWN_KEY for tag in tags] if language.endswith(OWN) else []
        keys += tags
    return tuple(dict.fromkeys(keys))


def _wrong(kind: str, key: str, data: object) -> InitErrorDetails:
    return InitErrorDetails(type=kind, loc=(key,), input=data)

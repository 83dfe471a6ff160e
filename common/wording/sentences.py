"""Texts for readers in code that knows neither Django nor a language.

A ``Label`` is a message of the translators' catalogue. A ``Sentence`` is a message with values in
its placeholders. Both are the English text for programs and logs. ``translated`` gives them in a
language, from the catalogue that the site installs when it starts; ``pack`` takes them to another
process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from common.wording.texts import Text, in_language

# Between the context of a message and its words, as in catalogues.
CONTEXT = "\x04"


class Catalogue(Protocol):
    """The translations of messages, and the formats of numbers, by language."""

    def gettext(self, message: str, language: str) -> str:
        """Return a message, which a context may precede, in a language."""
        ...

    def ngettext(self, one: str, many: str, count: int, language: str) -> str:
        """Return the form of a message for a number of things."""
        ...

    def number(self, value: float, language: str) -> str:
        """Return a number with the decimal separator of a language."""
        ...


class English:
    """The catalogue until the site installs its own: the messages as they are in the code."""

    def gettext(self, message: str, language: str) -> str:
        """Return the message itself."""
        return without_context(message)

    def ngettext(self, one: str, many: str, count: int, language: str) -> str:
        """Return the English form."""
        return without_context(one if count == 1 else many)

    def number(self, value: float, language: str) -> str:
        """Return the number as Python writes it."""
        return str(value)


_catalogue: Catalogue = English()


def install(catalogue: Catalogue) -> None:
    """Take translations and formats from ``catalogue`` from now on."""
    global _catalogue  # noqa: PLW0603 - There is one, for the whole process.
    _catalogue = catalogue


class Label(str):
    """A message to be translated; a context comes before it, separated as in catalogues."""

    def translated(self, language: str) -> str:
        """Return the message in ``language``."""
        return _catalogue.gettext(self, language)


@dataclass(frozen=True)
class Plural:
    """A message with a form for one thing and a form for several."""

    one: str
    many: str


type Message = str | Plural


class Sentence(str):
    """A message with values for its placeholders; it is equal to its English text.

    Values are numbers, texts, or labels and sentences, which are translated, too. The value
    ``count`` chooses the form of a plural.
    """

    message: Message
    values: dict[str, object]

    def __new__(cls, message: Message, values: Mapping[str, object]) -> Sentence:
        """Fill the placeholders ("%(key)s") of ``message``."""
        english = {key: plain(one) for key, one in values.items()}
        form = message
        if isinstance(form, Plural):
            form = form.one if values["count"] == 1 else form.many
        made = super().__new__(cls, without_context(form) % english)
        made.message = message
        made.values = {key: _kept(one) for key, one in values.items()}
        return made

    def __reduce__(self) -> tuple[type[Sentence], tuple[Message, dict[str, object]]]:
        """Copy the message and its values, too."""
        return Sentence, (self.message, self.values)

    def translated(self, language: str, adapt: Callable[[str], str] = str) -> str:
        """Return the sentence in ``language``. ``adapt`` may change the translated message before
        its values are filled in."""
        values = {
            key: one if isinstance(one, int) else words_of(one, language)
            for key, one in self.values.items()
        }
        if isinstance(self.message, Plural):
            one, many, count = self.message.one, self.message.many, self.values["count"]
            assert isinstance(count, int)
            found = _catalogue.ngettext(one, many, count, language)
        else:
            found = _catalogue.gettext(self.message, language)
        return adapt(found) % values


def words_of(value: object, language: str) -> str:
    """Return a value of a sentence in ``language``: texts, labels, sentences and decimals in it,
    any other value as it is."""
    if isinstance(value, float):
        return _catalogue.number(value, language)
    return str(in_language(value, language))


def gettext_noop(message: str) -> Label:
    """Mark a label for the catalogue."""
    return Label(message)


def pgettext(context: str, message: str) -> Label:
    """Mark a label that has another meaning in other contexts."""
    return Label(f"{context}{CONTEXT}{message}")


def ngettext(one: str, many: str) -> Plural:
    """Mark a message with plural forms for the catalogue."""
    return Plural(one, many)


def say(message: Label | Plural, **values: object) -> Sentence:
    """Return a sentence. An exception as a value stands for its own sentence."""
    return Sentence(message, values)


def sentence_of(error: BaseException) -> str:
    """Return the sentence that an exception was raised with."""
    said = error.args[0] if error.args else ""
    return said if isinstance(said, str) else str(error)


def without_context(message: str) -> str:
    """Return the words of a message."""
    return message.rpartition(CONTEXT)[2]


def plain(value: object) -> object:
    """Return a value as it stands in an English sentence."""
    if isinstance(value, BaseException):
        return str(value)
    if isinstance(value, Text):
        return value.first
    return without_context(value) if isinstance(value, Label) else value


def _kept(value: object) -> object:
    if isinstance(value, BaseException):
        return sentence_of(value)
    return value if isinstance(value, int | float | str | Text) else str(value)


type Packed = str | list[object] | dict[str, str]


def pack(text: str | Text) -> Packed:
    """Return a text as JSON can carry it."""
    if isinstance(text, Text):
        return text.root
    if isinstance(text, Sentence):
        values = {
            key: pack(one) if isinstance(one, str | Text) else one
            for key, one in text.values.items()
        }
        form = text.message
        return [[form.one, form.many] if isinstance(form, Plural) else form, values]
    return [str(text)] if isinstance(text, Label) else text


def unpack(packed: Packed) -> str | Text:
    """Return the text that ``pack`` made ``packed`` of."""
    if isinstance(packed, str):
        return packed
    if isinstance(packed, dict):
        return Text(packed)
    message, *values = packed
    if not values:
        return Label(message)
    (found,) = values
    assert isinstance(found, dict)
    kept = {
        key: unpack(one) if isinstance(one, list | dict | str) else one
        for key, one in found.items()
    }
    return Sentence(Plural(*message) if isinstance(message, list) else str(message), kept)

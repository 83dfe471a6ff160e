"""Texts for readers in code that knows neither Django nor a language.

A ``Label`` is a message of the translators' catalogue. A ``Sentence`` is one with values in its
placeholders. Both are the English text for programs and logs; pages translate them when they show
them (``rules.editor.text.translate``), and ``pack`` takes them to another process.
"""

from __future__ import annotations

from collections.abc import Mapping


class Label(str):
    """A message to be translated; a context comes before it, separated as in catalogues."""


class Sentence(str):
    """A message with values for its placeholders; it is equal to its English text.

    Values are numbers, texts, or labels and sentences, which are translated, too.
    """

    message: str
    values: dict[str, object]

    def __new__(cls, message: str, values: Mapping[str, object]) -> Sentence:
        """Fill the placeholders ("%(key)s") of ``message``."""
        english = {key: plain(one) for key, one in values.items()}
        made = super().__new__(cls, str(plain(message)) % english)
        made.message = message
        made.values = {key: _kept(one) for key, one in values.items()}
        return made

    def __reduce__(self) -> tuple[type[Sentence], tuple[str, dict[str, object]]]:
        """Copy the message and its values, too."""
        return Sentence, (self.message, self.values)


class InLanguages(str):
    """A text that a rulebook has in several languages, by their codes; it is equal to the English.

    Unlike a label it is not in the catalogue.
    """

    texts: dict[str, str]

    def __new__(cls, texts: Mapping[str, str]) -> InLanguages:
        """Keep all of the texts."""
        made = super().__new__(cls, texts["en"])
        made.texts = dict(texts)
        return made

    def __reduce__(self) -> tuple[type[InLanguages], tuple[dict[str, str]]]:
        """Copy all of the texts."""
        return InLanguages, (self.texts,)


def gettext_noop(message: str) -> Label:
    """Mark a label for the catalogue."""
    return Label(message)


def pgettext(context: str, message: str) -> Label:
    """Mark a label that has another meaning in other contexts."""
    return Label(f"{context}\x04{message}")


def say(message: Label, **values: object) -> Sentence:
    """Return a sentence. An exception as a value stands for its own sentence."""
    return Sentence(message, values)


def sentence_of(error: BaseException) -> str:
    """Return the sentence that an exception was raised with."""
    said = error.args[0] if error.args else ""
    return said if isinstance(said, str) else str(error)


def plain(value: object) -> object:
    """Return a value as it stands in an English sentence."""
    if isinstance(value, BaseException):
        return str(value)
    return value.rpartition("\x04")[2] if isinstance(value, Label) else value


def _kept(value: object) -> object:
    if isinstance(value, BaseException):
        return sentence_of(value)
    return value if isinstance(value, int | str) else str(value)


type Packed = str | list[object] | dict[str, str]


def pack(text: str) -> Packed:
    """Return a text as JSON can carry it."""
    if isinstance(text, Sentence):
        values = {
            key: pack(one) if isinstance(one, str) else one for key, one in text.values.items()
        }
        return [text.message, values]
    if isinstance(text, InLanguages):
        return text.texts
    return [str(text)] if isinstance(text, Label) else text


def unpack(packed: Packed) -> str:
    """Return the text that ``pack`` made ``packed`` of."""
    if isinstance(packed, str):
        return packed
    if isinstance(packed, dict):
        return InLanguages(packed)
    message, *values = packed
    if not values:
        return Label(message)
    (found,) = values
    assert isinstance(found, dict)
    kept = {
        key: unpack(one) if isinstance(one, list | dict | str) else one
        for key, one in found.items()
    }
    return Sentence(str(message), kept)

"""Catalogues of translations, as gettext writes them, and a trial language that shows where a
longer one would break a page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import cycle, islice

# A code for private use: no people speaks it, so no reader's browser asks for it.
TRIAL = "qps"
# Three forms, unlike English, as many languages have.
TRIAL_PLURALS = (
    "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);"
)
TRIAL_FORMS = 3
LONGER = 1.4
ACCENTED = str.maketrans(
    "aceinosuyzACEINOSUYZ", "åçéîñöšûýžÅÇÉÎÑÖŠÛÝŽ"
)  # fmt: skip
# Other letters than in English, so that added ones stand out: no word of ours has them twice.
ADDED = "ëðïøü"
# Parts of a message that its reader never sees, or that are no words: placeholders, HTML, entities,
# addresses, and words of rulebook files in quotation marks.
KEPT = re.compile(
    r"%(?:\(\w+\))?[sd%]|\{\w*\}|<[^>]*>|&#?\w+;|https?://\S*|“[a-z_.]+”|\w+[.@/]\w[\w./@]*"
)
WORD = re.compile(r"[^\W\d_]+")
# A comment for translators of a message that is a format, or a code, and not words.
FORMAT = "Django's format"
CODE = re.compile(r"[a-z]{2}_[A-Z]{2}")


@dataclass(frozen=True)
class Message:
    """A text of a catalogue, or its header, whose English is empty."""

    english: str
    plural: str | None = None
    context: str | None = None
    # One text, or one for each plural form; "" where a translation is missing.
    translations: tuple[str, ...] = ("",)
    flags: frozenset[str] = frozenset()
    # Notes for translators, and the files that show the text.
    notes: tuple[str, ...] = ()
    places: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str | None, str]:
        """The context and the English text, which no other message of a catalogue has."""
        return self.context, self.english

    @property
    def is_translated(self) -> bool:
        """Whether it has a translation that pages show, in every plural form."""
        return all(self.translations) and "fuzzy" not in self.flags

    @property
    def is_format(self) -> bool:
        """Whether it is a format of dates, or a code, rather than words."""
        return any(FORMAT in note for note in self.notes) or bool(CODE.fullmatch(self.english))


@dataclass
class _Block:
    """The lines of a message as they are read."""

    fields: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def message(self) -> Message:
        """Return the message of these lines."""
        texts = [text for key, text in self.fields.items() if key.startswith("msgstr")]
        return Message(
            english=self.fields["msgid"],
            plural=self.fields.get("msgid_plural"),
            context=self.fields.get("msgctxt"),
            translations=tuple(texts),
            flags=frozenset(self.flags),
            notes=tuple(self.notes),
            places=tuple(self.places),
        )


def read_messages(text: str) -> Iterator[Message]:
    """Yield the messages of a catalogue (a PO file), its header first; obsolete ones are left
    out."""
    for lines in text.strip().split("\n\n"):
        block, key = _Block(), ""
        for line in lines.split("\n"):
            if line.startswith("#,"):
                block.flags += [flag.strip() for flag in line[2:].split(",")]
            elif line.startswith("#."):
                block.notes.append(line[2:].strip())
            elif line.startswith("#:"):
                block.places += line[2:].split()
            elif not line.startswith("#"):
                start = re.match(r'([a-z_]+(?:\[\d\])?) (?=")', line)
                if start:
                    key = start[1]
                    line = line[start.end() :]
                # PO files escape as C does, whose escapes Python shares.
                block.fields[key] = block.fields.get(key, "") + ast.literal_eval(line)
        if block.fields:
            yield block.message()


def write_messages(messages: Iterable[Message]) -> str:
    """Return a catalogue (a PO file) of some messages, without notes and places."""
    return "\n".join(_write(message) for message in messages)


def _write(message: Message) -> str:
    lines = [f"#, {', '.join(sorted(message.flags))}"] if message.flags else []
    if message.context is not None:
        lines.append(f"msgctxt {_quote(message.context)}")
    lines.append(f"msgid {_quote(message.english)}")
    if message.plural is None:
        lines.append(f"msgstr {_quote(message.translations[0])}")
    else:
        lines.append(f"msgid_plural {_quote(message.plural)}")
        lines += [f"msgstr[{n}] {_quote(text)}" for n, text in enumerate(message.translations)]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text}"'


def translate_for_trial(message: Message) -> Message:
    """Return a message in the trial language; formats stay as they are."""
    if message.is_format:
        texts = [message.english]
    elif message.plural is None:
        texts = [lengthen(message.english)]
    else:
        # The singular may lack the number, which only one form may do.
        texts = [lengthen(message.english)] + [lengthen(message.plural)] * (TRIAL_FORMS - 1)
    return replace(message, translations=tuple(texts), flags=message.flags - {"fuzzy"})


def lengthen(text: str) -> str:
    """Return a text in the trial language: with accented letters, and longer words."""
    found, end = [], 0
    for kept in KEPT.finditer(text):
        found += [WORD.sub(_lengthen_word, text[end : kept.start()]), kept[0]]
        end = kept.end()
    return "".join(found) + WORD.sub(_lengthen_word, text[end:])


def _lengthen_word(word: re.Match[str]) -> str:
    letters = word[0]
    more = round(len(letters) * (LONGER - 1))
    added = "".join(islice(cycle(ADDED), more))
    return letters.translate(ACCENTED) + (added.upper() if letters.isupper() else added)

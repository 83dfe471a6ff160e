"""Catalogues and lists that are refused, and the sentences for it."""

from __future__ import annotations

from common.errors import Refusal
from common.wording.sentences import Label, Sentence, say
from common.wording.sentences import gettext_noop as _


class BadCatalogue(Refusal):
    """A file that cannot be read as a catalogue or a list; ``describe`` has a sentence for each
    ``code``. Values: ``file``, ``line``, ``limit``, ``name``, as far as they are known."""


SENTENCES: dict[str, Label] = {
    "no_file": _("Choose a file first."),
    "too_big": _("The files are larger than %(limit)s megabytes when unpacked."),
    "too_many_files": _("These are more than %(limit)s files. Choose those that you need."),
    "too_many_elements": _("“%(file)s”: the files have more than %(limit)s elements together."),
    "too_many_attributes": _("“%(file)s”, line %(line)s: an element has too many attributes."),
    "too_long_tag": _("“%(file)s”: an element is too long to be of a catalogue."),
    "too_deep": _("“%(file)s” is nested more than %(limit)s levels deep."),
    "too_many_paths": _(
        "“%(name)s” has more than %(limit)s selections, because links lead to links again and "
        "again."
    ),
    "too_long_path": _("“%(name)s” contains selections more than %(limit)s levels deep."),
    "loop": _("“%(name)s” contains itself, through its links."),
    "too_hard": _("These files take too much time or memory to read. Choose fewer catalogues."),
    "not_ours": _(
        "“%(file)s” is neither a game system, nor a catalogue, nor a zip with such files."
    ),
    "no_list": _("“%(file)s” is not a list of BattleScribe or New Recruit."),
    "list_too_long": _("The list has more selections than a gang can be made from."),
    "broken": _("“%(file)s” is damaged: line %(line)s cannot be read."),
    "not_json": _("“%(file)s” is damaged: it cannot be read as JSON."),
    "encoding": _("“%(file)s” is not a text in UTF-8 or UTF-16."),
    "doctype": _("“%(file)s” has definitions of its own (a DTD), which catalogues do not need."),
    "bad_number": _("“%(file)s” contains a number that no catalogue needs."),
    "no_id": _("“%(file)s” does not say its name or its id."),
    "no_zip": _("“%(file)s” is a damaged zip, or of a kind that cannot be read."),
    "no_catalogue": _("“%(file)s” is a zip without any catalogue."),
    "path": _("“%(file)s” has a path that files in a zip cannot have."),
    "same_path": _("“%(file)s” is a zip with two files of the same name."),
    "locked": _("“%(file)s” is protected by a password."),
    "nested": _("“%(file)s” is a zip inside a zip inside a zip. Unpack the outer ones first."),
    "no_system": _("The game system is missing: add its file, whose name ends with .gst or .gstz."),
    "two_systems": _("These are files of two game systems, “%(name)s” and “%(other)s”."),
    "other_system": _("“%(file)s” belongs to another game system than “%(name)s”."),
    "twice": _("“%(file)s” and “%(other)s” are the same catalogue. Choose one of them."),
}


def describe(bad: BadCatalogue) -> Sentence:
    """Return the sentence for a refusal; ``translate`` gives it in the reader's language."""
    values = {"file": "", "line": "?", "limit": "?", "name": "", "other": "", **bad.values}
    return say(SENTENCES[bad.code], **values)

"""Reads and maps uploads, in a process of their own that ``rules.catalogues.apart`` starts."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from rules.catalogues.overview import Overview, look_over
from rules.catalogues.paths import count_paths
from rules.catalogues.reading import read_files, read_roster
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.results import Answers, Imported
from rules.catalogues.rosters import Roster
from rules.loading.strangers import LENGTH

type File = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Examined:
    """The result of reading and mapping an upload.

    ``answers``: the author's, or those that the mapping suggests; ``imported``: the game that they
    make.
    """

    answers: Answers
    overview: Overview
    imported: Imported


EXAMINED = TypeAdapter(Examined)
ROSTER = TypeAdapter(Roster)
REFUSED = b'{"refused":'


def pack_question(files: Sequence[File], **other: object) -> bytes:
    """Return the question about files, with anything else that JSON has."""
    names = [[name, len(content)] for name, content in files]
    head = json.dumps({"files": names, **other}).encode()
    return b"".join([LENGTH.pack(len(head)), head, *(content for _name, content in files)])


def unpack_question(asked: bytes) -> tuple[list[File], dict[str, Any]]:
    """Return the files and the rest of a question."""
    start = LENGTH.size + LENGTH.unpack_from(asked)[0]
    other: dict[str, Any] = json.loads(asked[LENGTH.size : start])
    files = []
    for name, length in other.pop("files"):
        files.append((name, asked[start : start + length]))
        start += length
    return files, other


def unpack_refusal(answered: bytes) -> BadCatalogue | None:
    """Return the refusal in an answer, if there is one."""
    if not answered.startswith(REFUSED):
        return None
    code, values = json.loads(answered)["refused"]
    return BadCatalogue(code, **values)


def examine(asked: bytes, report: Callable[[str], None]) -> bytes:
    """The answer to ``apart.examine``: an ``Examined`` as JSON, or a refusal. ``report`` gets the
    name of each file before it is read."""
    files, other = unpack_question(asked)
    mapping = importlib.import_module(other["mapping"])
    try:
        system = read_files(files, report)
        if other["answers"] is None:
            answers = mapping.guess_answers(system)
        else:
            answers = Answers.model_validate(other["answers"])
        if answers.catalogues:
            count_paths(system, answers.catalogues)
        found = Examined(answers, look_over(system, answers), mapping.make_game(system, answers))
    except BadCatalogue as bad:
        return _refusal(bad)
    return EXAMINED.dump_json(found)


def read_list(asked: bytes, report: Callable[[str], None]) -> bytes:
    """The answer to ``apart.read_list``: a ``Roster`` as JSON, or a refusal."""
    files, _other = unpack_question(asked)
    try:
        return ROSTER.dump_json(read_roster(*files[0]))
    except BadCatalogue as bad:
        return _refusal(bad)


def _refusal(bad: BadCatalogue) -> bytes:
    return json.dumps({"refused": [bad.code, bad.values]}, separators=(",", ":")).encode()

"""Summaries of catalogues for the page that asks their author about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rules.catalogues.model import Catalogue, Category, Choice, Info, InfoGroup, System
from rules.catalogues.results import Answers, Role

# Candidates for roles: those with a role come first, then categories, groups and entries.
MOST_CANDIDATES = 1_000


@dataclass(frozen=True, slots=True)
class FileSummary:
    """A catalogue. ``entries``: how many entries and groups it has; ``links``: ids of the
    catalogues it links to; ``missing``: names of those among them that were not uploaded."""

    id: str
    name: str
    file: str
    format: str
    revision: int
    is_library: bool
    entries: int
    links: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CostSummary:
    """A kind of cost. ``entries``: how many entries cost some of it."""

    id: str
    name: str
    entries: int = 0


@dataclass(frozen=True, slots=True)
class ProfileSummary:
    """A kind of profile, with its characteristics as (id, name). ``profiles``: how many there
    are."""

    id: str
    name: str
    characteristics: tuple[tuple[str, str], ...] = ()
    profiles: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry, a group or a category that may have a role. ``kind``: as of a ``Choice``, or
    "category"; ``catalogue``: the name of its catalogue."""

    id: str
    name: str
    kind: str
    catalogue: str
    role: Role = "list"


@dataclass(frozen=True, slots=True)
class Overview:
    """A game system with its catalogues: which files, costs, profiles and candidates for roles
    there are; ``unknown``: as of a ``System``."""

    id: str
    name: str
    catalogues: tuple[FileSummary, ...]
    costs: tuple[CostSummary, ...]
    profiles: tuple[ProfileSummary, ...]
    candidates: tuple[Candidate, ...]
    unknown: tuple[tuple[str, int], ...] = ()


def look_over(system: System, answers: Answers) -> Overview:
    """Return the overview of a game; ``answers`` give candidates their roles."""
    files = (system.system, *system.catalogues)
    costs: Counter[str] = Counter()
    profiles: Counter[str] = Counter()
    entries: Counter[str] = Counter()
    candidates: dict[str, Candidate] = {}
    for file in files:
        for category in file.categories:
            _add(candidates, category, "category", file, answers)
        profiles.update(_kinds_of_profiles(file.info))
        profiles.update(_kinds_of_profiles(file.shared_info))
        for choice in _all_choices(file):
            costs.update({kind for kind, value in choice.costs if value})
            profiles.update(_kinds_of_profiles(choice.info))
            if not choice.target:
                entries[file.id] += 1
                _add(candidates, choice, choice.kind, file, answers)
    known = {file.id for file in files}
    return Overview(
        id=system.system.id,
        name=system.system.name,
        catalogues=tuple(
            FileSummary(
                file.id,
                file.name,
                file.file,
                file.format,
                file.revision,
                file.is_library,
                entries[file.id],
                tuple(link.target for link in file.links if link.target in known),
                tuple(link.name for link in file.links if link.target not in known),
            )
            for file in system.catalogues or files
        ),
        costs=tuple(
            CostSummary(kind.id, kind.name, costs[kind.id])
            for file in files
            for kind in file.cost_types
        ),
        profiles=tuple(
            ProfileSummary(kind.id, kind.name, kind.characteristics, profiles[kind.id])
            for file in files
            for kind in file.profile_types
        ),
        candidates=_chosen(candidates),
        unknown=system.unknown,
    )


def _add(
    candidates: dict[str, Candidate],
    one: Choice | Category,
    kind: str,
    file: Catalogue,
    answers: Answers,
) -> None:
    if one.id not in candidates:
        role = answers.roles.get(one.id, "list")
        candidates[one.id] = Candidate(one.id, one.name, kind, file.name, role)


def _chosen(candidates: dict[str, Candidate]) -> tuple[Candidate, ...]:
    def order(one: Candidate) -> tuple[bool, int]:
        kinds = ("category", "group")
        return one.role == "list", kinds.index(one.kind) if one.kind in kinds else len(kinds)

    return tuple(sorted(candidates.values(), key=order)[:MOST_CANDIDATES])


def _all_choices(file: Catalogue) -> Iterator[Choice]:
    ahead = [*reversed(file.shared), *reversed(file.roots)]
    while ahead:
        choice = ahead.pop()
        yield choice
        ahead.extend(reversed(choice.choices))


def _kinds_of_profiles(info: Info) -> Iterator[str]:
    groups: list[InfoGroup] = [*info.groups]
    yield from (profile.type_id for profile in info.profiles)
    while groups:
        group = groups.pop()
        yield from (profile.type_id for profile in group.info.profiles)
        groups += group.info.groups

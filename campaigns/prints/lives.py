"""Lives in a line or two: what somebody did and suffered in a campaign, for the reader."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.chronicle import happened, named
from campaigns.past import Past, PastGang
from campaigns.telling_chronicle import listed
from gangs.story import Happening, Person
from gangs.wording import spoken


def life(past: Past, gang: str, member: int) -> str:
    """What there is to tell of somebody who has played; "" of anybody else."""
    known = past.gang.get(gang)
    person = known.people.get(member) if known is not None else None
    if known is None or person is None:
        return ""
    return " ".join([*_deeds(past, person), *_fortunes(past, known, member)])


def _deeds(past: Past, person: Person) -> Iterator[str]:
    """What he did, in figures."""
    played = ngettext("%(count)s game", "%(count)s games", person.games) % {"count": person.games}
    said = [played]
    if person.taken_out:
        said.append(
            ngettext("%(count)s enemy out of action", "%(count)s enemies out of action",
                     person.taken_out)
            % {"count": person.taken_out}
        )  # fmt: skip
    if person.experience:
        said.append(f"{spoken(past.book.experience_name)} {number_format(person.experience)}")
    yield ", ".join(said) + "."


def _fortunes(past: Past, gang: PastGang, member: int) -> Iterator[str]:
    """How he rose, what he learned, and what he suffered for good."""
    lived = _lives(past, gang).get(member, [])
    book = past.book
    rose = [named(book.rank, one.key) for one in lived if one.kind == "promoted"]
    learned = [named(book.trait, one.key) for one in lived if one.kind in ("advance", "gained")]
    marked = [
        named(book.condition, one.key) for one in lived if one.kind == "suffered" and not one.amount
    ]
    for sentence, names in (
        (_("Rose to %(names)s."), rose),
        (_("Learned %(names)s."), learned),
        (_("Marked by %(names)s."), marked),
    ):
        if names:
            yield sentence % {"names": listed(list(dict.fromkeys(map(spoken, names))))}


def _lives(past: Past, gang: PastGang) -> dict[int, list[Happening]]:
    """What happened to each of the gang's people in the campaign, sorted once."""

    def sorted_out() -> dict[int, list[Happening]]:
        found: dict[int, list[Happening]] = {}
        for one in happened(past, gang):
            found.setdefault(one.member, []).append(one)
        return found

    return past.once(("lives", gang.id), sorted_out)

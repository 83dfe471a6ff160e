"""The stories that the demo's players wrote about their games, in each player's own language.

``{us}`` and ``{them}`` are the gangs, and ``{ours}`` is the first member of ``{us}``; ``{down}`` is
one of the enemies who went down, ``{lost}`` one of ours. The stories name no weapon, so that they
fit every game.
"""

from __future__ import annotations

from collections.abc import Sequence

from campaigns.models import Side
from gangs.text.formats import localize

# By alice, the winner of the first game of the season.
FIRST = (
    "First night, first blood. {them} came straight up the middle as if nobody had told them that"
    " we were there too. {ours} counted to ten, and then there was no more middle.",
    "Nobody in {us} slept the night before. {ours} says that is why nobody ran: too tired. {down}"
    " held the last corner alone, and we stood aside when they carried {down} home.",
    "We lost the toss, the good side of the table and, in the second turn, {lost}. After that"
    " things could only get better, and they did: {them} are still looking for their hats.",
    "It rained all evening, at least in the story. {ours} waited behind the only wall until"
    " {them} got bored, and boredom is how {down} came to stand in the open.",
    "A quick one. {them} had a plan, a map and a whistle; we had {ours}. Played over before the"
    " tea was cold, and {down} wants another game next week.",
)
# By charlie, who writes in French, on the second night.
SECOND = (
    "«\u00a0On ne bouge pas\u00a0», avait dit {ours}. Alors personne n’a bougé, et ce sont les"
    " autres qui sont venus. {down} a fini le nez dans la boue, et {them} ne s’en sont pas remis.",
    "Deux tours à se regarder, un tour à courir, et tout était dit. {lost} y a laissé des plumes,"
    " mais la soirée est à nous, et {us} rentre en chantant.",
    "Il y avait une porte, une seule, et {ours} était derrière. Trois fois {them} ont frappé,"
    " trois fois nous avons répondu que nous n’étions pas là.",
    "On m’avait promis une partie tranquille. À la place, {down} a sauté d’un toit. Il faut"
    " reconnaître que c’était très beau, jusqu’à l’arrivée.",
    "{them} méritaient de gagner, je le dis volontiers maintenant que c’est nous. Un dé de plus"
    " et {ours} dormait à l’infirmerie.",
)
# By alice again, on the last night.
THIRD = (
    "{ours} had the better ground and nearly gave it away. Twice {them} came as far as the door,"
    " and twice somebody stayed behind so that the others could fall back.",
    "We only came for what was in the crates. {down} only came to stop us. In the end {ours}"
    " carried out two crates and one apology.",
    "Everybody remembers the last turn: {lost} on the floor, {down} on the stairs, {ours} between"
    " them with nothing left but a bad temper. It was enough.",
    "An ugly one. We shook hands before it and after it, and I would not like to say which was"
    " harder. {them} fought for every step.",
    "Nobody moved for so long that a cat crossed the table. {ours} took that for a sign, and"
    " {us} took the evening.",
)
# By bob, about the other game of that night.
LAST = (
    "Revenge for last week, and with interest. {down} laughed at us then. Nobody laughs now.",
    "I had given this one up by the second turn. Then {them} split in two, {ours} stayed in one"
    " piece, and arithmetic did the rest.",
    "{lost} went down early, and I think that is what won it: the others were too angry to miss.",
    "Our shortest game and our best. {them} ran out of people before we ran out of luck.",
    "{ours} asks me to write that it was all planned. It was not. But somebody had to run at"
    " {down} first, and somebody did.",
)
# Shared notes of games, by nobody in particular.
NOTES = (
    "The night of the broken lamp: the last turn was played by the light of three phones.",
    "Nobody is to place dice on the bridge again. Nobody.",
    "Dora rolled the same number five times running. There are witnesses.",
    "The biscuits were charlie’s grandmother’s. House rule: winners wash up.",
    "The roof is worth two games of arguing. From now on it is three storeys high.",
)


def tell_tale(number: int, tales: Sequence[str], side: Side, other: Side) -> str:
    """The story of a game as ``side`` saw it. ``number``: the campaign's place in the demo."""
    ours, lost = _somebody(side)
    _leader, down = _somebody(other)
    names = {"us": side.name, "them": other.name, "ours": ours, "lost": lost, "down": down}
    return tales[number % len(tales)].format_map(names)


def _somebody(side: Side) -> tuple[str, str]:
    """The names of the first member that took part, and of the first that went down."""
    assert side.gang is not None
    report = side.parsed_report
    book, roster = side.game.campaign.book, side.gang.roster
    names = {member.id: localize(member.name_or_rank(book)) for member in roster.members}
    first = next((names[member] for member in report.fielded if member in names), side.name)
    marks = book.campaign.mark
    fallen = [key for key, mark in report.marks.items() if mark in marks and not marks[mark].stands]
    down = next((names[member] for member in fallen if member in names), first)
    return first, down

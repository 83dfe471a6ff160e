"""A club that plays a season of one of the tests' games, through the functions that pages call.

Members are named, dice are typed, and nothing is answered that the season does not say.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from accounts.models import User
from campaigns.club.people import joining
from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Answers, Capture, Report
from campaigns.engine.script_state import Playthrough, Question, RollRequest, StepState
from campaigns.games import results
from campaigns.models import Campaign, Game
from campaigns.postgames import drafts
from campaigns.season.loading import load_season
from campaigns.statistics.standings import season_rows, standings
from gangs.engine import actions
from gangs.engine import holdings as places
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.groups import do_together, join_squad
from gangs.engine.roster import Member, Roster
from gangs.ledger import writer
from gangs.models import Gang
from rules.book.model import Book
from rules.book.season import TOGETHER
from rules.library import load
from tests.world.campaigns import confirmed, make_game, side_of

FIRST_NIGHT = date(2026, 5, 1)
# Decides about a gang, of which the next entry has this number.
Decision = Callable[[ComputedGang, int], list[Entry]]
Counts = Mapping[str, int]


@dataclass(frozen=True)
class Told:
    """One side's report, by the names of members.

    ``marks``: how they ended; ``counts``: of members, by tally; ``tallies``: of the gang;
    ``tracks``: numbers of trackers that last, by tracker; ``at_home``: those who did not take part.
    """

    marks: Mapping[str, str] | None = None
    counts: Mapping[str, Counts] | None = None
    tallies: Counts | None = None
    tracks: Mapping[str, Counts] | None = None
    at_home: Collection[str] = ()


class Club:
    """A campaign, its gangs and its games. The players are in the order of the gangs."""

    def __init__(self, book: Book, organiser: User, players: Iterable[User]) -> None:
        self.players = iter(players)
        self.version, _created = load(book)
        self.campaign: Campaign = joining.start(
            name="Six nights",
            version=self.version,
            settings={},
            notes="",
            organiser=organiser,
            token=uuid.uuid4(),
        )
        self.keys: dict[str, uuid.UUID] = {}

    # Gangs --------------------------------------------------------------------------------------

    def gang(self, name: str) -> Gang:
        """Load a gang."""
        return Gang.objects.select_related("owner").get(pk=self.keys[name])

    def found(self, name: str, *decisions: Decision) -> None:
        """Found a gang, build it, and join the campaign."""
        player = next(self.players)
        book = self.campaign.book
        gang = writer.found(self.version, actions.found(book, name, {}), owner=player)
        self.keys[name] = gang.pk
        self.change(name, *decisions)
        gang = self.gang(name)
        joining.join(self.campaign, gang, actor=player, expected_version=gang.version)

    def change(self, name: str, *decisions: Decision) -> None:
        """Change a gang between two games, as in the builder."""
        for decide in decisions:
            gang = self.gang(name)
            entries = decide(ComputedGang.of(gang.book, gang.roster), gang.last_seq + 1)
            writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)

    # Games --------------------------------------------------------------------------------------

    def meet(
        self, night: int, winner: str, loser: str, won: Told, lost: Told, captures: str = ""
    ) -> Game:
        """Play a game: the winner reports it, the loser confirms. ``captures``: a holding."""
        first, second = self.gang(winner), self.gang(loser)
        assert first.owner is not None and second.owner is not None
        day = FIRST_NIGHT + timedelta(weeks=night - 1)
        game = make_game(self.campaign, first.owner, first, second, day=day)
        taken = [held for held in second.roster.holdings if held.key == captures]
        assert bool(taken) == bool(captures)
        captured = tuple(
            Capture(gang=str(second.pk), place=held.id, holding=held.key, name=held.name)
            for held in taken
        )
        sides = {
            side_of(game, first).pk: SideAccount("winner", _report(first.roster, won, captured)),
            side_of(game, second).pk: SideAccount("loser", _report(second.roster, lost)),
        }
        account = Account(result="won", played_on=day, sides=sides)
        results.report(game, account, actor=first.owner, expected_version=game.version)
        return confirmed(Game.objects.get(pk=game.pk), second.owner)

    def stand_together(
        self, night: int, result: str, told: Mapping[str, Told], scenario: str = ""
    ) -> Game:
        """Play a game of gangs on one side: the first reports it, all others confirm. A gang alone
        needs nobody's consent."""
        gangs = [self.gang(name) for name in told]
        first, *others = [gang.owner for gang in gangs if gang.owner is not None]
        day = FIRST_NIGHT + timedelta(weeks=night - 1)
        game = make_game(self.campaign, first, *gangs, day=day)
        Game.objects.filter(pk=game.pk).update(scenario=scenario)
        game.scenario = scenario
        kind = TOGETHER[self.campaign.book.campaign.result[result].kind]
        sides = {
            side_of(game, gang).pk: SideAccount(kind, _report(gang.roster, one))
            for gang, one in zip(gangs, told.values(), strict=True)
        }
        account = Account(result=result, played_on=day, sides=sides)
        results.report(game, account, actor=first, expected_version=game.version)
        return confirmed(Game.objects.get(pk=game.pk), *others)

    def after(
        self,
        game: Game,
        name: str,
        dice: Mapping[str, str | list[str]] | None = None,
        chosen: Mapping[str, str | list[str]] | None = None,
        hired: Iterable[tuple[str, str, str | None]] = (),
    ) -> None:
        """Play the post-game of a gang and write it into its history.

        ``dice`` and ``chosen``: faces and choices by step and member, one after the other; a choice
        may be a member. ``hired``: ranks, names and professions.
        """
        gang = self.gang(name)
        assert gang.owner is not None
        script = _Script(gang, _lists(dice), _lists(chosen), list(hired))
        for _ in range(60):
            side = side_of(game, gang)
            postgame = drafts.load(side)
            if postgame.playthrough.complete and not script.objections(postgame.playthrough):
                break
            drafts.answer(postgame, script.answer, expected_version=side.draft_version)
        assert not script.left(), f"never asked: {script.left()}"
        side = side_of(game, gang)
        drafts.commit(side, seen_draft=side.draft_version, seen_gang=gang.version, actor=gang.owner)

    # Ends ---------------------------------------------------------------------------------------

    def numbers(self, name: str, member: str) -> dict[str, int]:
        """Return a member's characteristics, and the values of their powers."""
        gang = self.gang(name)
        computed = ComputedGang.of(gang.book, gang.roster)
        profile = computed.profiles[member_of(gang.roster, member).id]
        scores = {key: score.value for key, score in profile.scores.items()}
        found = {key: value for key, value in scores.items() if isinstance(value, int)}
        return found | profile.values

    def holdings(self, name: str) -> list[str]:
        """Return the keys of a gang's holdings, each with the players' own name for it."""
        held = self.gang(name).roster.holdings
        return [" ".join(filter(None, (one.key, one.name))) for one in held]

    def departed(self, name: str) -> list[tuple[str, str]]:
        """Return the members who have left a gang, and how."""
        return [(one.member.name, one.fate) for one in self.gang(name).roster.departed]

    def standings(self) -> list[tuple[int, str, int, int]]:
        """Return place, gang, victories and money of the standings."""
        season = load_season(self.campaign.pk).season
        rows = standings(season.book, season_rows(season))
        return [(row.place, row.name, row.won, int(row.money)) for row in rows]


class _Script:
    """The answers to a post-game, each used once."""

    def __init__(
        self,
        gang: Gang,
        dice: dict[str, list[str]],
        chosen: dict[str, list[str]],
        hired: list[tuple[str, str, str | None]],
    ) -> None:
        self.gang, self.dice, self.chosen, self.hired = gang, dice, chosen, hired

    def left(self) -> list[object]:
        """List the answers that nothing asked for."""
        return [*self.dice.items(), *self.chosen.items(), *self.hired]

    def objections(self, through: Playthrough) -> list[tuple[StepState, Question]]:
        """List the bills that the treasury pays unless the player says otherwise, and does."""
        return [
            (state, question)
            for state in through.steps
            for question in state.questions
            if question.kind == "upkeep" and _label(state, question) in self.chosen
        ]

    def answer(self, through: Playthrough, answers: Answers) -> Answers:
        """Answer everything that a step asks now; else hire, else declare it finished."""
        for state, question in self.objections(through):
            value = self._take(self.chosen, _label(state, question), question.key)
            return engine_answers.choose(through, answers, question.key, value)
        state = through.current
        assert state is not None
        open_questions = [one for one in state.questions if one.chosen is None]
        for request in state.waiting:
            faces = self._take(self.dice, _label(state, request), request.key)
            thrown = partial(rolls.take_over, key=request.key, faces=faces)
            answers = engine_answers.roll(through, answers, thrown)
        for question in open_questions:
            value = self._choose(state, question, through.roster)
            answers = engine_answers.choose(through, answers, question.key, value)
        if state.waiting or open_questions:
            return answers
        while self.hired and state.step.kind == "recruits":
            rank, name, profession = self.hired.pop(0)
            answers = engine_answers.hire(through, answers, rank, name, profession=profession)
        return engine_answers.finish(through, answers, state.step.key)

    def _choose(self, state: StepState, question: Question, roster: Roster) -> str:
        label = _label(state, question)
        if question.kind == "search" and label not in self.chosen:
            return "nothing"
        if question.kind == "supply" and label not in self.chosen:
            return "0"
        value = self._take(self.chosen, label, question.key)
        named = [member.id for member in roster.members if member.name == value]
        return str(named[0]) if question.kind == "member" else value

    def _take(self, answers: dict[str, list[str]], label: str, key: str) -> str:
        assert answers.get(label), f"no answer for “{label}” ({key})"
        value = answers[label].pop(0)
        if not answers[label]:
            del answers[label]
        return value


def _label(state: StepState, asked: RollRequest | Question) -> str:
    """The name of the step and, if there is one, of the member."""
    return " ".join(filter(None, (state.step.key, asked.member.name if asked.member else "")))


def _lists(answers: Mapping[str, str | list[str]] | None) -> dict[str, list[str]]:
    return {
        label: [one] if isinstance(one, str) else [*one] for label, one in (answers or {}).items()
    }


def _report(roster: Roster, told: Told, captures: tuple[Capture, ...] = ()) -> Report:
    ids = {member.name: member.id for member in roster.members}
    counts = {
        tally: {ids[name]: count for name, count in members.items()}
        for tally, members in (told.counts or {}).items()
    }
    return Report(
        fielded=tuple(one.id for one in roster.members if one.name not in told.at_home),
        marks={ids[name]: mark for name, mark in (told.marks or {}).items()},
        counts=counts,
        tallies=dict(told.tallies or {}),
        tracks={
            track: {ids[name]: number for name, number in numbers.items()}
            for track, numbers in (told.tracks or {}).items()
        },
        captures=captures,
    )


# Decisions in the builder -----------------------------------------------------------------------


def member_of(roster: Roster, name: str) -> Member:
    """Return the member with a name."""
    return next(member for member in roster.members if member.name == name)


def recruit(rank: str, name: str, count: int = 1) -> Decision:
    """Recruit members; those of a rank with groups form one."""

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        entries = actions.recruit(computed, rank, name, count, next_id=next_id)
        return join_squad(computed, entries, name, next_id)

    return decide


def take_up(name: str, profession: str) -> Decision:
    """Choose a profession."""

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        member = member_of(computed.roster, name)
        return actions.describe(
            computed, member.id, name=name, notes="", profession=profession, squad=member.squad
        )

    return decide


def buy(name: str, item: str) -> Decision:
    """Buy an item; for each member of a group."""

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        member = member_of(computed.roster, name)
        return do_together(computed, member.id, partial(actions.buy, item=item))

    return decide


def learn(name: str, trait: str) -> Decision:
    """Buy a trait, for money or experience."""

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        member = member_of(computed.roster, name)
        return do_together(computed, member.id, partial(actions.take_trait, trait=trait))

    return decide


def take_holding(holding: str, name: str = "") -> Decision:
    """Take a holding."""
    return lambda computed, next_id: places.take(computed, holding, name)


def sell(name: str, item: str) -> Decision:
    """Sell the last such item of a member."""

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        owned = [one for one in member_of(computed.roster, name).items if one.key == item]
        return actions.sell(computed, owned[-1].id)

    return decide


def use(name: str, item: str) -> Decision:
    """Use the first such item of a member once."""

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        owned = [one for one in member_of(computed.roster, name).items if one.key == item]
        return actions.use_item(computed, owned[0].id)

    return decide


# Ends -------------------------------------------------------------------------------------------


def describe_member(roster: Roster, member: Member) -> str:
    """Return everything that a season brought a member, in one line."""
    items = [
        f"{one.key} ({one.used} used)" if one.used else one.key
        for one in sorted(member.items, key=lambda one: (one.key, -one.used))
    ]
    numbers = [f"{key} {value:+d}" for key, value in sorted(member.raised.items())]
    numbers += [f"{key} {value}" for key, value in sorted(member.rolled.items())]
    ill = [affliction.condition for affliction in member.afflictions]
    known = [member.profession or "", *sorted(member.traits), *numbers, *items, *ill]
    who = f"{member.name} {member.rank} {member.experience}".strip()
    return ", ".join(filter(None, [who, *known]))


def describe_roster(roster: Roster) -> list[str]:
    """Return the lines of all members."""
    return [describe_member(roster, member) for member in roster.members]

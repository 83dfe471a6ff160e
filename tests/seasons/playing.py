"""Playing a scripted season through the functions that the pages call."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.club.planning import plans
from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.captives import Terms
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Answers, Report
from campaigns.engine.script_state import Hiring, Playthrough, Question, StepState
from campaigns.games import results
from campaigns.games.captives import bargains
from campaigns.models import Campaign, Game, Side
from campaigns.postgames import drafts as aftermath
from campaigns.table.crews import preparing
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.roster import Member, Roster
from gangs.ledger import writer
from gangs.models import Gang
from rules.book.model import Book
from rules.engine.dice import throw
from tests.seasons import script
from tests.seasons.retelling import Told, with_ids, with_names
from tests.seasons.script import Match
from tests.world.campaigns import make_campaign
from tests.world.gangs import make_version, shipped

FIRST = datetime(2026, 1, 9, 19, 30, tzinfo=UTC)
MOST_ANSWERS = 200


class Season:
    """A campaign of four gangs with four players, run by an organiser who does not play.

    ``told``: reports and decisions of the season, by names. A season played ``like`` another
    repeats the reports and decisions of that one for the members that both have; one game and
    the members ``lacking`` can be missing. ``rated_alike``: its games also use the ratings of
    that season. ``idle``: games after which no member is hired.
    """

    def __init__(
        self,
        slug: str,
        *,
        like: Told | None = None,
        without: Match | None = None,
        lacking: Collection[str] = (),
        rated_alike: bool = False,
        idle: Collection[Match] = (),
    ) -> None:
        self.told = Told()
        self.like = like
        self.without = without
        self.lacking = frozenset(lacking)
        self.rated_alike = rated_alike
        self.idle = frozenset(idle)
        self.again = False
        self.book: Book = shipped(slug)
        self.organiser = User.objects.create_user(f"organiser-{uuid.uuid4().hex[:8]}")
        self.players = [
            User.objects.create_user(f"player-{number}-{uuid.uuid4().hex[:8]}")
            for number in range(4)
        ]
        make_version(slug)
        self.campaign: Campaign = make_campaign(self.organiser, slug)
        self.keys = [self._found(number) for number in range(4)]
        self.games: dict[Match, uuid.UUID] = {}
        self.nights: dict[int, Any] = {}

    def _found(self, number: int) -> uuid.UUID:
        """Found a sample gang whose members all have names, and join it to the campaign."""
        player = self.players[number]
        sample = self.book.samples[number % len(self.book.samples)]
        gang = writer.found(
            make_version(self.book.slug), actions.found_from_sample(self.book, sample), owner=player
        )
        named: list[kinds.Entry] = [kinds.Renamed(name=f"Gang {number + 1}")]
        for place, member in enumerate(gang.roster.members, start=1):
            named.append(kinds.Named(member=member.id, name=f"{place} of gang {number + 1}"))
        writer.append(gang, named, expected_version=gang.version, actor=player)
        joining.join(self.campaign, gang, actor=player, expected_version=gang.version)
        return gang.pk

    # Stored rows

    def gang(self, number: int) -> Gang:
        """Load the gang."""
        return Gang.objects.get(pk=self.keys[number])

    def game(self, match: Match) -> Game:
        """Load the game."""
        return Game.objects.select_related("campaign").get(pk=self.games[match])

    def side(self, match: Match, number: int) -> Side:
        """Load one side of a game."""
        sides = Side.objects.select_related("game__campaign", "gang")
        return sides.get(game=self.games[match], gang=self.keys[number])

    # Actions

    def play(self, matches: Iterable[Match]) -> None:
        """Play these games in order, from planning to the last post-game."""
        for match in matches:
            if match == self.without:
                continue
            self.plan(match)
            self.prepare(match)
            self.report(match)
            for number in match.gangs:
                self.aftermath(match, number)
            self.free_captives(match)

    def plan(self, match: Match) -> None:
        """Put the game on its night's list, with a scenario by dice."""
        night = self._night(match.night)
        book = self.book
        choice, faces = "", ""
        if book.campaign.scenario_table:
            table = book.table[book.campaign.scenario_table]
            choice = plans.TYPED
            faces = " ".join(map(str, _faces(table.dice, script.thrower(match, "scenario"))))
        elif book.scenarios:
            choice = script.dice(match, "scenario").choice(book.scenarios).key
        scenario, roll = plans.choose_scenario(book.under(self.campaign.settings), choice, faces)
        game = plans.plan(
            self.campaign,
            [self.gang(number) for number in match.gangs],
            plans.Plan(_day(match.night), night, scenario, roll),
            actor=self.players[match.gangs[0]],
            token=uuid.uuid4(),
        )
        self.games[match] = game.pk

    def _night(self, number: int) -> Any:
        if number not in self.nights:
            night = schedule.arrange(
                self.campaign,
                starts_at=FIRST + timedelta(weeks=number),
                place="The club",
                note="",
                token=uuid.uuid4(),
            )
            for key in self.keys:
                schedule.answer(night, Gang.objects.get(pk=key), "yes", actor=self.organiser)
            self.nights[number] = night
        return self.nights[number]

    def prepare(self, match: Match) -> None:
        """Make the rolls of each side before the game."""
        for number in match.gangs:
            side = self.side(match, number)
            by = script.thrower(match, number, "before")
            expected_version = side.draft_version
            preparing.roll(
                side,
                partial(rolls.throw_all, by=by),
                expected_version=expected_version,
                actor=self.players[number],
            )

    def report(self, match: Match, *, agreed: bool = True) -> None:
        """Report the result: the first player claims, the second agrees."""
        game = self.game(match)
        first, second = (self.players[number] for number in match.gangs)
        result, winner = script.outcome(self.book, self.campaign.settings, match)
        told = {}
        for place, number in enumerate(match.gangs):
            side = self.side(match, number)
            kind = "level" if winner is None else "winner" if winner == place else "loser"
            said = self._report(match, number)
            told[side.pk] = SideAccount(kind, said)
        results.report(
            game,
            Account(result=result, played_on=_day(match.night), sides=told),
            actor=first,
            expected_version=game.version,
        )
        for number in match.gangs:
            side = self.side(match, number)
            if self.rated_alike and self.like is not None:
                side.rating = self.like.ratings[match, number]
                side.save(update_fields=["rating"])
            self.told.ratings[match, number] = side.rating
        if agreed:
            results.confirm(
                self.game(match), actor=second, expected_version=self.game(match).version
            )

    def _report(self, match: Match, number: int) -> Report:
        """Return the report on a gang, from the script or from the other season."""
        roster = self.gang(number).roster
        if self.like is None:
            said = script.report(self.book, roster, match, number)
        else:
            said = with_ids(self.like.reports[match, number], roster)
        self.told.reports[match, number] = with_names(said, roster)
        return said

    def _hire(self, match: Match, number: int, hiring: Hiring) -> tuple[str, str] | None:
        """Return rank and name of the recruit after a game: the dearest that the gang can hire."""
        if hiring.chosen or match in self.idle:
            return None
        if self.like is not None:
            hired = self.like.hired.get((match, number))
            return None if hired is None or hired[1] in self.lacking else hired
        for offer in reversed(hiring.offers):
            if offer.refusal is None:
                return offer.row.key, script.recruit_name(match, number)
        return None

    def _advance(self, match: Match, question: Question) -> str:
        """Return the advance that a member takes.

        The first on offer, or the next that they took in the other season, or before a correction,
        possibly after another game.
        """
        assert question.member is not None
        name = question.member.name
        free = [choice.value for choice in question.choices if choice.refusal is None]
        if (like := self.told if self.again else self.like) is not None:
            taken = like.advances.get(name, ())
            free = [key for game, key in taken if game != self.without and key in free] + free
        self.told.advances.setdefault(name, []).append((match, free[0]))
        return free[0]

    def _promote(self, match: Match, number: int, state: StepState) -> tuple[str, str, str] | None:
        """Return the next promotion of a gang and its way.

        Every member who may rise does, unless they would have to take another member's place.
        """
        told = None if self.like is None else self.like.risen.get((match, number), [])
        for rise in state.promotions:
            if not rise.candidates or rise.refusal or (rise.rivals and not rise.required):
                continue
            key, how = rise.promotion.key, "sent_away" if rise.rivals else ""
            for name in sorted(member.name for member in rise.candidates):
                if told is None or rise.required or (key, name, how) in told:
                    return key, name, how
        return None

    def aftermath(self, match: Match, number: int) -> None:
        """Answer and commit one side's post-game."""
        player = self.players[number]
        side = self.side(match, number)
        for _ in range(MOST_ANSWERS):
            state = aftermath.load(side).playthrough.current
            if state is None:
                break

            def next_answer(
                through: Playthrough, answers: Answers, state: StepState = state
            ) -> Answers:
                if state.refused:
                    # A kept promotion that no longer fits.
                    place = state.refused[0].place
                    return engine_answers.take_back(through, answers, "promotions", place)
                hired = state.hiring and self._hire(match, number, state.hiring)
                if hired:
                    self.told.hired[match, number] = hired
                    return engine_answers.hire(through, answers, *hired)
                for question in state.questions:
                    if question.kind == "advance" and question.chosen is None:
                        trait = self._advance(match, question)
                        return engine_answers.choose(through, answers, question.key, trait)
                risen = self._promote(match, number, state)
                if risen:
                    self.told.risen.setdefault((match, number), []).append(risen)
                    key, name, how = risen
                    who = next(one.id for one in through.roster.members if one.name == name)
                    return engine_answers.promote(through, answers, key, who, how)
                return _answer(match, number, state, through, answers)

            aftermath.answer(
                aftermath.load(side), next_answer, expected_version=side.draft_version, actor=player
            )
        aftermath.commit(
            side,
            seen_draft=side.draft_version,
            seen_gang=self.gang(number).version,
            actor=player,
        )

    def settle_again(self, struck: Match) -> None:
        """Answer what the end of this game left open in later post-games, the earliest first."""
        self.again, self.without = True, struck
        matches = {key: match for match, key in self.games.items()}
        waiting = Side.objects.filter(game__campaign=self.campaign, correcting=True)
        for _ in range(MOST_ANSWERS):
            side = waiting.order_by("game__played_on", "game__created_at", "pk").first()
            if side is None:
                return
            self.aftermath(matches[side.game_id], self.keys.index(side.gang_id))
        raise AssertionError("there is always something else to answer")

    def free_captives(self, match: Match) -> None:
        """Ransom the captives of this game whose gangs can pay."""
        first, second = (self.gang(number) for number in match.gangs)
        for prisoner in bargains.between(bargains.prisoners(self.campaign), first, second):
            giver = self.gang(self.keys.index(prisoner.gang.pk))
            taker = first if prisoner.gang.pk == second.pk else second
            taker = Gang.objects.get(pk=taker.pk)
            freed = (match, prisoner.captive.member.name)
            price = prisoner.captive.price
            ransom = min(2, giver.roster.treasury) if price is None else price
            if self.like is not None:
                if freed not in self.like.ransoms:
                    continue
                ransom = self.like.ransoms[freed]
            if ransom > giver.roster.treasury:
                continue
            self.told.ransoms[freed] = ransom
            terms = Terms(
                frees=(("giver", prisoner.captive.member.id),),
                ransom=ransom,
                payer="giver" if ransom else None,
            )
            players = dict(zip(self.keys, self.players, strict=True))
            bargain = bargains.offer(
                self.campaign,
                giver,
                taker,
                terms,
                note="",
                actor=players[giver.pk],
                token=uuid.uuid4(),
            )
            expected_version = (giver.version, taker.version)
            bargains.agree(bargain, actor=players[taker.pk], expected_version=expected_version)

    # Results

    def state(self) -> dict[str, Any]:
        """Return the complete state of the gangs in words, without ids."""
        return {
            self.gang(number).name: in_words(self.book, self.gang(number)) for number in range(4)
        }


def in_words(book: Book, gang: Gang) -> dict[str, Any]:
    """Return a gang in words."""
    roster = gang.roster
    return {
        "rating": gang.rating,
        "treasury": roster.treasury,
        "earned": roster.earned,
        "spent": roster.spent,
        "games": roster.games,
        "stash": sorted(owned.key for owned in roster.stash),
        "members": {member.name: _member(member) for member in roster.members},
        "gone": {
            departed.member.name: [departed.fate, _member(departed.member)]
            for departed in roster.departed
        },
    }


def _member(member: Member) -> dict[str, Any]:
    return {
        "rank": member.rank,
        "worth_rank": member.worth_rank,
        "profession": member.profession,
        "experience": member.experience,
        "advances": member.advances,
        "traits": sorted(member.traits),
        "items": sorted(owned.key for owned in member.items),
        "conditions": sorted(
            f"{suffered.condition} ({suffered.games_left})" for suffered in member.afflictions
        ),
        "games": member.games,
        "taken_out": member.taken_out,
    }


def _day(night: int) -> date:
    return (FIRST + timedelta(weeks=night)).date()


def _faces(dice: str, by: Any) -> list[int]:
    """Return the faces of typed dice: one number for each die."""
    return list(throw(dice, by).faces)


def _answer(
    match: Match, number: int, state: StepState, through: Playthrough, answers: Answers
) -> Answers:
    """Return the player's next answer: dice from the script, and the first thing on offer."""
    for asked in state.waiting:
        words = (match, number, asked.member.name, asked.what, _nth(asked.key, state))
        thrown = partial(rolls.throw_one, key=asked.key, by=script.thrower(*words))
        return engine_answers.roll(through, answers, thrown)
    for question in state.questions:
        if question.chosen is None:
            free = [choice for choice in question.choices if choice.refusal is None]
            choice = free[-1] if question.kind == "outcome" else free[0]
            if question.kind == "succession":
                choice = min(free, key=lambda heir: heir.about.name)
            return engine_answers.choose(through, answers, question.key, choice.value)
    return engine_answers.finish(through, answers, state.step.key)


def _nth(key: str, state: StepState) -> int:
    """Return the number of this throw among those for the same member and purpose, from 0."""
    this = next(asked for asked in state.rolls if asked.key == key)
    same = [
        asked.key
        for asked in state.rolls
        if asked.member.id == this.member.id and asked.what == this.what
    ]
    return same.index(key)


def replays(season: Season) -> list[tuple[Roster, Roster]]:
    """Return for each gang the fold of its entries and the stored roster."""
    return [
        (writer.replay_roster(season.gang(number)), season.gang(number).roster)
        for number in range(4)
    ]

"""Random seasons: players build, play, quarrel, settle and change their minds in any order.

After every step each gang is what its entries say, no game counted twice, and its money is what a
second computation, straight from the rulebook and the games' reports, makes of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from campaigns import aftermath, answering, joining, results
from campaigns.models import Game, Side
from campaigns.results import Told
from campaigns.situation import Answers, Ascent, Hire, SideKind, cannot_play
from campaigns.situation import results as results_of
from campaigns.steps import Playthrough, StepState
from gangs import acts, holds, ledger, offers
from gangs import entries as kinds
from gangs.entries import Entry
from gangs.findings import findings
from gangs.fold import Misfit, fold
from gangs.ledger import Leftovers
from gangs.models import Gang, Strike
from gangs.refusal import Refusal
from gangs.roster import Roster
from gangs.scene import Scene
from gangs.worth import gang_price, gang_rating
from rules.book import Book
from rules.limits import PurseLimit
from rules.vocabulary import Settings
from tests.campaigns.making import make_campaign, make_game, side_of
from tests.campaigns.strategies import answer_something, reports
from tests.gangs.strategies import decisions
from tests.make import SLUGS, make_gang, scene_of, shipped

FIRST_DAY = date(2026, 5, 1)
some = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
# What may happen next, the usual more often.
DEEDS = ["play", "settle", "settle", "settle", "build", "spend", "spend", "answer", "quarrel"]
DEEDS += ["strike", "strike", "restore", "restore", "strike_and_restore"]


class Season:
    """A campaign of two or three gangs: ready-made ones, or now and then an empty one."""

    def __init__(self, data: Any, book: Book, organiser: User, players: list[User]) -> None:
        self.data = data
        self.book = book
        self.organiser = organiser
        self.players = players[: data.draw(st.integers(2, len(players)), "gangs")]
        self.checked: dict[Any, tuple[object, ...]] = {}
        self.campaign = make_campaign(organiser, book.slug, data.draw(options(book), "settings"))
        samples = [*range(len(book.samples)), None]
        for player in self.players:
            gang = make_gang(player, book.slug, self.one_of(samples, "sample"))
            joining.join(self.campaign, gang, actor=player, seen=gang.version)

    def go_on(self) -> None:
        """A game, and whatever comes of it."""
        deeds = self.data.draw(st.lists(st.sampled_from(DEEDS), min_size=10, max_size=20), "deeds")
        for deed in ["play", "settle", *deeds]:
            getattr(self, deed)()
            self.check()

    def check(self) -> None:
        """Look at every gang that has changed."""
        for gang in self.gangs():
            if self.checked.get(gang.pk) != facts(gang):
                check(gang)
                self.checked[gang.pk] = facts(gang)

    def one_of(self, choices: Iterable[Any], label: str) -> Any:
        """One of these, or None if there is none."""
        listed = list(choices)
        return self.data.draw(st.sampled_from(listed), label) if listed else None

    # What a player does with his gang

    def build(self) -> None:
        """A few things that the builder's page may refuse."""
        gang = self.gang()
        choices = decisions(self.book)
        which = st.lists(st.integers(0, len(choices) - 1), min_size=1, max_size=4)
        for choice in self.data.draw(which, "acts"):
            try:
                append(gang, choices[choice](self.data.draw, scene_of(gang), gang.last_seq + 1))
            except Refusal:
                continue

    def spend(self) -> None:
        """Whatever is on offer can be had, whether or not the gang can really afford it."""
        gang = self.gang()
        before = gang.roster.treasury
        goods = self.one_of(on_offer(scene_of(gang)), "goods")
        if goods is None or aftermath.unsettled(gang):
            return
        append(gang, goods)
        assert gang.roster.treasury >= min(before, 0), "overdrawn"

    def strike(self) -> None:
        """Something is taken back, whatever was built on it."""
        gang = self.gang()
        batch = self.one_of(batches(gang), "batch")
        misfits = self.one_of([True, False], "with misfits")
        if batch is None:
            return
        try:
            ledger.strike(gang, batch, seen=gang.version, actor=gang.owner, with_misfits=misfits)
        except Leftovers:
            assert not misfits

    def strike_and_restore(self) -> None:
        """What is taken back and put back at once was never gone."""
        gang = self.gang()
        before = facts(gang)
        batch = self.one_of(batches(gang), "batch")
        if batch is None:
            return
        act = ledger.strike(gang, batch, seen=gang.version, actor=gang.owner, with_misfits=True)
        check(gang)
        ledger.restore(gang, act, seen=gang.version)
        assert facts(gang) == before

    def restore(self) -> None:
        """Something that was taken back is put back, if it still fits."""
        struck = Strike.objects.filter(gang__in=self.gangs()).order_by("-pk")
        act = self.one_of(struck, "strike")
        if act is None:
            return
        gang = Gang.objects.get(pk=act.gang_id)
        before = facts(gang)
        try:
            ledger.restore(gang, act, seen=gang.version)
        except (Misfit, Leftovers, Refusal):
            assert facts(gang) == before

    # Games

    def play(self) -> None:
        """A game is played, and most often agreed on."""
        before = self.all_facts()
        gangs = self.data.draw(st.permutations(self.gangs()), "gangs")
        gangs = gangs[: self.data.draw(st.integers(2, len(gangs)), "sides")]
        day = FIRST_DAY + timedelta(days=self.data.draw(st.integers(0, 3), "day"))
        game = make_game(self.campaign, self.organiser, *gangs, day=day)
        stage = self.one_of(["agreed", "agreed", "agreed", "reported", "planned"], "stage")
        if stage != "planned":
            self.tell(game, self.organiser)
        if stage == "agreed":
            game.refresh_from_db()
            results.confirm(game, actor=self.organiser, seen=game.version)
        assert self.all_facts() == before

    def quarrel(self) -> None:
        """Somebody says something about a game: no gang is changed by it."""
        before = self.all_facts()
        games = Game.objects.filter(campaign=self.campaign).select_related("campaign")
        game = self.one_of(games, "game")
        actor = self.one_of([self.organiser, *self.players], "actor")
        deed = self.one_of(["confirm", "confirm", "tell", "dispute", "withdraw"], "deed")
        if game is None:
            return
        played = any(str(game.pk) in gang.roster.played for gang in self.gangs())
        try:
            match deed:
                case "confirm":
                    results.confirm(game, actor=actor, seen=game.version)
                case "tell" if results.may_report(game, actor, list(game.sides.all())):
                    self.tell(game, actor)
                case "dispute":
                    results.dispute(game, comment="No!", actor=actor, seen=game.version)
                case "withdraw":
                    results.withdraw(game, actor=actor, seen=game.version)
                    assert not played
        except Refusal:
            pass
        assert self.all_facts() == before

    def answer(self) -> None:
        """One thing of a post-game is answered: a draft, and no more."""
        side = self.waiting_side()
        if side is not None:
            before = self.all_facts()
            self.answered(side)
            assert self.all_facts() == before

    def settle(self) -> None:
        """A post-game is answered to its end and committed, if none comes first."""
        side = self.waiting_side()
        if side is None:
            return
        for _ in range(100):
            if not self.answered(side):
                break
        else:
            raise AssertionError("the post-game does not end")
        self.commit(side)

    # The parts of deeds

    def gangs(self) -> list[Gang]:
        """The gangs of the campaign, as they stand."""
        return list(Gang.objects.filter(memberships__campaign=self.campaign).order_by("owner"))

    def gang(self) -> Gang:
        """One of them."""
        gang: Gang = self.one_of(self.gangs(), "gang")
        return gang

    def all_facts(self) -> list[tuple[object, ...]]:
        """What is stored of the gangs."""
        return [facts(gang) for gang in self.gangs()]

    def waiting_side(self) -> Side | None:
        """A side whose post-game can be answered: most often the one that is due."""
        sides = Side.objects.undone().filter(game__campaign=self.campaign)
        sides = sides.filter(game__status=Game.Status.CONFIRMED).select_related("game", "gang")
        waiting = list(sides.order_by("game__played_on", "game__created_at", "pk"))
        side = self.one_of(waiting[:1] * 3 + waiting, "side")
        return side and side_of(side.game, side.gang)

    def answered(self, side: Side) -> bool:
        """Answer one thing of a post-game; False if nothing is left to answer."""
        state = aftermath.played(side).current
        if state is None:
            return False

        def change(through: Playthrough, answers: Answers) -> Answers:
            if any(unmet.answer is not None for unmet in state.refused):
                return taken_back(through, state, answers)
            return answer_something(self.data.draw, through, state, answers)

        aftermath.answer(side, change, seen=side.draft_version)
        return True

    def tell(self, game: Game, actor: User) -> None:
        """Report a game, or correct its report."""
        settled = self.campaign.settings
        result = self.one_of(results_of(self.book, settled).values(), "result")
        sides = list(game.sides.select_related("gang"))
        winner = self.one_of(sides, "winner") if result.kind == "decided" else None
        told = {}
        for side in sides:
            came_out: SideKind = "level"
            if winner is not None:
                came_out = "winner" if side == winner else "loser"
            roster = aftermath.gang_of(side).roster
            able = [
                member.id
                for member in roster.members
                if not cannot_play(self.book, [one.condition for one in member.afflictions])
            ]
            report = self.data.draw(reports(self.book, settled, able, 3), "report")
            told[side.pk] = Told(came_out, report)
        results.report(
            game,
            told,
            result=result.key,
            played_on=game.played_on,
            note="",
            actor=actor,
            seen=game.version,
        )

    def commit(self, side: Side) -> None:
        """Commit a post-game that is answered: once, and only if none comes first."""
        gang = aftermath.gang_of(side)
        before, owner = gang.roster.treasury, gang.owner
        assert owner is not None

        again = side.batch is not None

        def tried(also: Collection[int] = ()) -> None:
            aftermath.commit(
                side,
                seen_draft=side.draft_version,
                seen_gang=gang.version,
                actor=owner,
                also=also,
            )

        if aftermath.earlier(side):
            with pytest.raises(Refusal, match="earlier_postgame"):
                tried()
            return
        facts_before = facts(gang)
        try:
            tried()
        except Leftovers as leftovers:
            # It takes its old place, and later things no longer fit.
            assert again and facts(Gang.objects.get(pk=gang.pk)) == facts_before
            tried({entry.seq for entry, _why in leftovers.misfits})
        assert again or gang.roster.treasury >= min(before, 0), "overdrawn"
        with pytest.raises(Refusal, match="postgame_done"):
            tried()


def check(gang: Gang) -> None:
    """Everything that holds of a gang at any time."""
    roster = gang.roster
    entries = ledger.numbered(gang.entries.live())
    assert ledger.replayed(gang) == roster
    rating = gang_rating(gang.book, roster).total
    assert (gang.name, gang.size, gang.rating) == (roster.name, len(roster.members), rating)
    check_people(roster, [entry for _, entry in entries])
    check_games(gang, roster)
    check_money(gang, roster, entries)


def check_people(roster: Roster, entries: list[Entry]) -> None:
    """Nobody is here and gone, nobody and nothing is there twice, the dead stay dead."""
    everyone = [member.id for member in roster.everyone()]
    assert len(everyone) == len(set(everyone))
    items = [owned.id for member in roster.everyone() for owned in member.items]
    items += [owned.id for owned in roster.stash]
    assert len(items) == len(set(items))
    assert not set(items) & set(everyone)
    died = {entry.member for entry in entries if isinstance(entry, kinds.Died)}
    assert not died & {member.id for member in roster.members}
    fates = {gone.member.id for gone in roster.departed if gone.fate == "dead"}
    assert fates <= died


def check_games(gang: Gang, roster: Roster) -> None:
    """Only confirmed games were played, each once, and what they brought stands with them."""
    stored = list(gang.entries.order_by("seq"))
    games = [entry.data["game"] for entry in stored if entry.kind == "played"]
    confirmed = Game.objects.filter(pk__in=games, status=Game.Status.CONFIRMED)
    assert {str(game.pk) for game in confirmed} == set(games)
    live = [entry for entry in stored if entry.struck_id is None]
    played = [entry.data["game"] for entry in live if entry.kind == "played"]
    assert len(played) == len(set(played)) and tuple(played) == roster.played
    for side in gang.sides.with_standing():
        assert side.done == (str(side.game_id) in played)
    settled = {entry.batch for entry in live if entry.kind == "played"}
    assert {entry.batch for entry in live if entry.kind in BROUGHT} <= settled
    learned = Counter(
        (entry.batch, entry.data["member"], entry.data["award"])
        for entry in live
        if entry.kind == "learned" and entry.data["award"]
    )
    assert all(count == 1 for count in learned.values())


# What only a post-game brings.
BROUGHT = {"rolled", "died", "left", "suffered", "recovered", "item_lost", "learned", "earned"}
BROUGHT |= {"fined", "promoted"}


def check_money(gang: Gang, roster: Roster, entries: list[tuple[int, Entry]]) -> None:
    """The purse is what games brought less what was paid since, and what is wrong is said."""
    book = gang.book
    first = next((at for at, (_, entry) in enumerate(entries) if entry.kind == "played"), None)
    later = [] if first is None else entries[first:]
    sides = gang.sides.select_related("game").filter(game__in=map(UUID, roster.played))
    founding = fold(book, entries[:first])
    budget = book.budget(founding.settings)
    left = 0 if budget is None else budget - gang_price(book, founding)
    over = max(0, -left)
    kept = left if later and left > 0 and book.keeps_budget(founding.settings) else 0
    brought = sum(reward(book, roster.settings, side) for side in sides)
    assert roster.earned == kept + brought
    assert roster.spent == sum(getattr(entry, "paid", 0) for _, entry in later)
    assert roster.treasury == roster.earned - roster.spent
    debt = -roster.treasury if first is not None and roster.treasury < 0 else 0
    kind = {limit.text: limit.kind for limit in book.limits if isinstance(limit, PurseLimit)}
    said = Counter[str]()
    for finding in findings(book, roster):
        if finding.text in kind:
            amount = finding.values["amount"]
            assert isinstance(amount, int)
            said[kind[finding.text]] += amount
    assert (said["overspent"], said["debt"]) == (over, debt)


def reward(book: Book, chosen: Settings, side: Side) -> int:
    """What a game brought a side, from the rulebook and the report alone."""
    steps = [step for step in book.in_force(book.campaign.steps, chosen) if step.kind == "income"]
    if not steps:
        return 0
    row = next(row for row in book.campaign.results if row.key == side.game.result)
    amount: int = {
        "level": row.each,
        "decided": row.winner if side.side == "winner" else row.loser,
        "open": side.report["money"],
    }[row.kind]
    for tally in book.in_force(book.campaign.tallies, chosen):
        worth = tally.money * (int(chosen[tally.times]) if tally.times else 1)
        if tally.per == "gang":
            amount += worth * side.report["tallies"].get(tally.key, 0)
        else:
            amount += worth * sum(side.report["counts"].get(tally.key, {}).values())
    ratings = [other.rating for other in side.game.sides.exclude(pk=side.pk)]
    above = max(ratings) - side.rating
    for row in book.in_force(book.campaign.underdog, chosen):
        amount += max(0, min(row.most, above // row.step))
    return amount


def append(gang: Gang, entries: list[Entry]) -> None:
    """Change a gang as its builder does."""
    holds.check(gang, entries)
    ledger.append(gang, entries, seen=gang.version, actor=gang.owner)


def facts(gang: Gang) -> tuple[object, ...]:
    """What is stored of the gang, and which of its entries stand."""
    gang = Gang.objects.get(pk=gang.pk)
    live = tuple(gang.entries.live().values_list("seq", flat=True))
    done = tuple(gang.sides.done().values_list("pk", flat=True))
    return gang.snapshot, gang.name, gang.size, gang.rating, gang.last_seq, live, done


def batches(gang: Gang) -> list[Any]:
    """What can be taken back of what was done to a gang, newest first."""
    live = list(gang.entries.live())
    fixed = {entry.batch for entry in live if entry.kind in ("founded", "joined")}
    return list(dict.fromkeys(entry.batch for entry in reversed(live) if entry.batch not in fixed))


def on_offer(scene: Scene) -> list[list[Entry]]:
    """Every single thing that the gang may take now, as the entries that it takes."""
    taken = [acts.recruit(scene, row.row.key, "") for row in offers.ranks(scene) if free(row)]
    for member in scene.roster.members[:3]:
        rows = [row for row in offers.traits(scene, member) if free(row)]
        taken += [acts.take_trait(scene, member.id, row.row.key) for row in rows]
    for holder in [None, *scene.roster.members[:2]]:
        goods = [row for row in offers.items(scene, holder) if free(row)]
        taken += [acts.buy(scene, holder.id if holder else None, row.row.key) for row in goods]
    return taken


def free(offer: offers.Offer[Any]) -> bool:
    """Whether an offer can be had."""
    return offer.refusal is None


def taken_back(through: Playthrough, state: StepState, answers: Answers) -> Answers:
    """Answers of an older draft that cannot be carried out any more are taken back."""
    unmet = next(unmet for unmet in state.refused if unmet.answer is not None)
    if isinstance(unmet.answer, Ascent):
        return answering.unpromote(through, answers, unmet.place)
    assert isinstance(unmet.answer, Hire)
    return answering.unhire(through, answers, unmet.place)


@st.composite
def options(draw: st.DrawFn, book: Book) -> Settings:
    """The rulebook's usual options, but for one or two."""
    rows = draw(st.lists(st.sampled_from(book.settings), max_size=2, unique_by=lambda row: row.key))
    chosen: Settings = {}
    for row in rows:
        if row.kind == "choice":
            chosen[row.key] = draw(st.sampled_from([choice.key for choice in row.choices]))
        else:
            chosen[row.key] = draw(st.sampled_from([row.minimum, row.default]))
    return chosen


@pytest.mark.parametrize("slug", SLUGS)
@some
@given(data=st.data())
def test_any_season(
    slug: str, data: Any, alice: User, bob: User, charlie: User, dora: User
) -> None:
    with transaction.atomic():
        Season(data, shipped(slug), bob, [alice, dora, charlie]).go_on()
        transaction.set_rollback(True)

"""Corrections: striking, restoring and editing, by owners or the organiser."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from accounts.models import User
from campaigns.engine import answers as engine_answers
from campaigns.games.corrections import strikes
from campaigns.models import Game
from campaigns.postgames import correction, drafts
from campaigns.postgames.drafts import gang_of
from common.errors import Refusal
from gangs import hooks
from gangs.engine.entries import KINDS, Entry
from gangs.engine.errors import Misfit
from gangs.history.entry_form import EntryForm, EntryMoment
from gangs.history.preview import plan_to_strike
from gangs.ledger import writer
from gangs.ledger.revision import Insertion, Weighed, instead, weigh
from gangs.ledger.storage import read_entry
from gangs.ledger.writer import Leftovers
from gangs.models import Gang, StoredEntry
from tests.campaigns.random_seasons import checks
from tests.campaigns.random_seasons.checks import facts
from tests.campaigns.random_seasons.playing import answered_whole, commit
from tests.campaigns.random_seasons.season import Season

# Reasons for which a gang's history refuses to strike, restore or replace an entry.
REFUSED = {"bound", "game_struck", "corrected_since", "taken_back_already", "joined_stays"}
REFUSED |= {"founding_stays", "game_goes_whole"}


def strike(season: Season) -> None:
    """Strike a batch, whatever was built on it."""
    gang = season.gang(season.gangs())
    batch = season.one_of(batches(gang), "batch")
    misfits = season.perhaps("with misfits")
    if batch is None:
        return
    before = facts(gang)
    try:
        writer.strike(
            gang, batch, expected_version=gang.version, actor=gang.owner, with_misfits=misfits
        )
    except Leftovers:
        assert not misfits and facts(gang) == before
    except Refusal as refusal:
        assert refusal.code in REFUSED and facts(gang) == before


def strike_and_restore(season: Season) -> None:
    """Strike and immediately restore a batch: nothing may have changed."""
    gang = season.gang(season.gangs())
    batch = season.one_of(batches(gang), "batch")
    if batch is None:
        return
    before = facts(gang)
    try:
        act = writer.strike(
            gang, batch, expected_version=gang.version, actor=gang.owner, with_misfits=True
        )
    except Refusal as refusal:
        assert refusal.code in REFUSED and facts(gang) == before
        return
    checks.check_gang(gang, touched=season.touched | {batch}, freed=season.freed)
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert facts(gang) == before


def restore(season: Season) -> None:
    """Undo a correction, whatever was done since, if everything still fits."""
    act = season.one_of(season.corrections(), "act")
    if act is None:
        return
    gang = Gang.objects.get(pk=act.gang_id)
    actor, before = season.actor(gang), facts(gang)
    touched = {entry.batch for entry in gang.entries.filter(added_by=act)}
    touched |= {entry.batch for entry in gang.entries.filter(struck=act)}
    touched |= set(gang.entries.filter(seq__in=act.restored).values_list("batch", flat=True))
    try:
        undoing = writer.revise(
            gang, undoes=act, expected_version=gang.version, actor=actor, reason="No."
        )
    except (Misfit, Leftovers):
        assert facts(gang) == before
    except Refusal as refusal:
        assert refusal.code in REFUSED, refusal.code
        assert facts(gang) == before
    else:
        assert act.undone_by.get() == undoing
        # Undoing a manual correction can make an entry wrong again.
        season.touched |= touched & by_hand(gang)


def by_hand(gang: Gang) -> set[uuid.UUID]:
    """Return batches that are partly struck or have entries that replace others."""
    corrected = gang.entries.exclude(struck=None) | gang.entries.exclude(added_by=None)
    return set(corrected.values_list("batch", flat=True))


def strike_entries(season: Season) -> None:
    """Strike single entries, and the entries that depend on them."""
    gang = season.gang(season.gangs())
    rows = list(gang.entries.live())
    chosen = season.one_of(rows, "entry")
    seqs = {chosen.seq} | ({season.one_of(rows, "another").seq} if season.perhaps("two") else set())
    by = season.actor(gang)
    try:
        plan_to_strike(gang, by != gang.owner, sorted(seqs))
    except Refusal as refusal:
        assert refusal.code in REFUSED
        return
    correct(season, gang, by, strike=seqs)


def edit_entry(season: Season) -> None:
    """Change a number, a thing or a name in the past, with the form."""
    gang = season.gang(season.gangs())
    rows = [row for row in gang.entries.live() if KINDS[row.kind].editable]
    row = season.one_of(rows, "entry")
    if row is None:
        return
    made = edited(season, gang, row)
    if made is None:
        return
    try:
        hooks.check_unlocked(gang, [made])
    except Refusal:
        return
    strike, insert = instead(gang, row, made)
    correct(season, gang, season.actor(gang), strike=strike, insert=insert, batch=row.batch)


def edited(season: Season, gang: Gang, row: StoredEntry) -> Entry | None:
    """Return the entry that the form makes when one field is filled in differently."""
    entry, moment = read_entry(row), EntryMoment.of(gang, row)
    asked = EntryForm(moment, row.kind, entry)
    data = QueryDict(mutable=True)
    for name in asked.fields:
        value = asked.get_initial_for_field(asked.fields[name], name)
        if value not in (None, False):
            data[name] = "on" if value is True else str(value)
    name = season.one_of(asked.fields, "field")
    if name is None:
        return None
    match asked.fields[name]:
        case forms.ChoiceField() as field:
            data[name] = str(season.one_of(flat(field.choices), "choice"))
        case forms.BooleanField():
            if data.pop(name, None) is None:
                data[name] = "on"
        case forms.IntegerField():
            data[name] = season.one_of(["0", "1", "2", "5"], "number")
        case _:
            data[name] = season.one_of(["Ann", "1 1", "6 6", ""], "text")
    form = EntryForm(moment, row.kind, entry, data)
    form.is_valid()
    return form.new_entry


def flat(choices: Any) -> list[Any]:
    """Return the values of a field's choices, grouped or not."""
    values: list[Any] = []
    for value, label in choices:
        values += flat(label) if isinstance(label, (list, tuple)) else [value]
    return values


def correct(
    season: Season,
    gang: Gang,
    by: User,
    *,
    strike: Collection[int],
    insert: Sequence[Insertion] = (),
    batch: uuid.UUID | None = None,
) -> None:
    """Carry out a correction with everything it needs; sometimes undo it immediately."""
    before = facts(gang)
    try:
        writer.check_correction(gang, strike)
        also = whole(gang, strike, insert, season.perhaps("doubts, too"))
        weighed = weigh(gang, strike={*strike, *also}, insert=insert)
        act = writer.revise(
            gang,
            strike={*strike, *also},
            insert=insert,
            expected_version=gang.version,
            actor=by,
            batch=batch,
            reason="It was otherwise.",
            by_organiser=by != gang.owner,
        )
    except (Misfit, Refusal) as error:
        assert isinstance(error, Misfit) or error.code in REFUSED, error
        assert facts(gang) == before
        return
    assert gang.roster == weighed.roster, "the preview differs from the result"
    touched = set(gang.entries.filter(struck=act).values_list("batch", flat=True))
    touched |= set(gang.entries.filter(added_by=act).values_list("batch", flat=True))
    checks.check_gang(gang, touched=season.touched | touched, freed=season.freed)
    if season.perhaps("back at once"):
        writer.revise(gang, undoes=act, expected_version=gang.version, actor=by)
        assert checks.standing(gang) == before[:-1]
    else:
        season.touched |= touched


def whole(
    gang: Gang, strike: Collection[int], insert: Sequence[Insertion], doubted: bool
) -> set[int]:
    """Return the entries to strike along, as on the page; ``doubted``: with doubtful ones."""
    also: set[int] = set()
    for _ in range(50):
        found = weigh(gang, strike={*strike, *also}, insert=insert)
        more = left_over(found, doubted)
        if not more:
            return also
        also |= more
    raise AssertionError("there is always something else that does not fit")


def left_over(found: Weighed, doubted: bool) -> set[int]:
    """Return the misfits and the doubtful entries."""
    more = {entry.seq for entry, _ in found.misfits}
    if doubted:
        fixed = ("joined", "played", "founded")
        more |= {entry.seq for entry, _ in found.implausible if entry.kind not in fixed}
    return more


def batches(gang: Gang) -> list[Any]:
    """Return the batches of a gang that can be struck, newest first."""
    live = list(gang.entries.live())
    fixed = {entry.batch for entry in live if entry.kind in ("founded", "joined")}
    return list(dict.fromkeys(entry.batch for entry in reversed(live) if entry.batch not in fixed))


# Post-games in their places


def replay_postgame(season: Season) -> None:
    """Open a committed post-game; leave it as it was, or play it again and commit it in place."""
    done = [side for side in season.sides(done=True) if not side.correcting]
    side = season.one_of(done, "side")
    if side is None:
        return
    before, answers, batch = season.all_facts(), side.answers, side.batch
    correction.begin_correction(side, expected_version=side.draft_version)
    side = drafts.Side.objects.select_related("game__campaign", "gang").get(pk=side.pk)
    how = season.one_of(["leave", "anew", "anew", "later"], "how")
    steps = drafts.load(side).playthrough.steps
    # The post-game of a single game may have no step.
    if how != "leave" and steps:
        step = season.one_of(steps, "step")
        drafts.answer(
            drafts.load(side),
            lambda through, known: engine_answers.reopen(through, known, step.step.key),
            expected_version=side.draft_version,
        )
    assert season.all_facts() == before
    if how == "leave":
        correction.cancel_correction(side, expected_version=side.draft_version)
        left = drafts.Side.objects.get(pk=side.pk)
        assert (left.answers, left.batch, left.correcting) == (answers, batch, False)
        assert season.all_facts() == before
    elif how == "anew":
        answered_whole(season, side)
        commit(season, side, actor=season.actor(gang_of(side)))


# Whole games


def strike_game(season: Season) -> None:
    """Let the organiser strike a game in every gang; sometimes restore it immediately."""
    game = season.one_of(season.games(Game.Status.CONFIRMED), "game")
    if game is None:
        return
    before = season.standing()
    also = all_along(lambda chosen: strikes.weigh_game(game, chosen))
    versions = {stroke.gang.pk: stroke.gang.version for stroke in strikes.weigh_game(game, also)}
    strikes.strike_game(
        game,
        actor=season.organiser,
        reason="It was none.",
        expected_version=game.version,
        versions=versions,
        also=also,
    )
    assert game.status == Game.Status.STRUCK
    assert all(str(game.pk) not in gang.roster.played for gang in season.gangs())
    season.touched |= set().union(*(by_hand(gang) for gang in season.gangs()))
    if season.perhaps("back at once"):
        season.check()
        put_back(season, game)
        assert season.standing() == before


def restore_game(season: Season) -> None:
    """Restore a struck game if everything still fits."""
    game = season.one_of(season.games(Game.Status.STRUCK), "game")
    if game is None:
        return
    before = season.all_facts()
    try:
        put_back(season, game)
    except (Misfit, Leftovers, Refusal):
        assert season.all_facts() == before
        assert Game.objects.get(pk=game.pk).status == Game.Status.STRUCK


def put_back(season: Season, game: Game) -> None:
    """Let the organiser restore a game."""
    strikes.restore_game(
        game, actor=season.organiser, reason="It was one.", expected_version=game.version
    )


def all_along(weigh: Callable[[dict[uuid.UUID, set[int]]], list[strikes.Stroke]]) -> Any:
    """Return the entries to strike along, by gang, for a strike that concerns several gangs."""
    also: dict[uuid.UUID, set[int]] = {}
    for _ in range(50):
        found = {stroke.gang.pk: left_over(stroke.weighed, False) for stroke in weigh(also)}
        if not any(found.values()):
            return also
        for key, seqs in found.items():
            also.setdefault(key, set()).update(seqs)
    raise AssertionError("there is always something else that does not fit")

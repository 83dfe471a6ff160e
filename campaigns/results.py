"""A game's result: claimed, confirmed, disputed, decided. Of gangs this only says which post-game
is to be played again.

Every claim weighs the same, whoever was first. The one that the game goes by meanwhile
(``Game.claim``) is copied to the sides; nothing counts before all agree on one, or an organiser
decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from django.db import transaction

from accounts.models import User
from campaigns import aftermath, announcing, hiring
from campaigns.claiming import Account, Claimed, Standing, agreed_on, standing
from campaigns.claiming import Told as Told
from campaigns.models import Claim, Game, Side
from campaigns.situation import Situation
from gangs.ledger import Stale
from gangs.refusal import Refusal

OPEN = (Game.Status.REPORTED, Game.Status.DISPUTED)


def report(
    game: Game,
    told: Mapping[int, Told],
    *,
    result: str,
    played_on: date,
    note: str,
    actor: User,
    seen: int,
) -> None:
    """Claim that this is what happened; the one who says so agrees with himself.

    ``told``: by the side's primary key. A claim of his own that he made before no longer stands,
    and whoever agreed with that one is asked again; claims of others stand beside this one. The
    same claim twice is one. Raises Stale if the game has changed since it was seen.
    """
    account = Account(result=result, played_on=played_on, note=note, sides=dict(told))
    with transaction.atomic():
        desk = _Desk(game)
        if desk.says(actor, account):
            return
        desk.check(seen)
        _refuse_struck(game)
        if game.status == Game.Status.CONFIRMED:
            raise Refusal("confirmed_already")
        if not (game.campaign.is_run_by(actor) or desk.own(actor)):
            raise Refusal("not_your_game")
        if game.status == Game.Status.PLANNED:
            for side in desk.sides:
                side.rating = side.gang.rating if side.gang else side.rating
        own = desk.own(actor)
        desk.agree(own, None)
        desk.add(actor, Claimed(account=account, behind=tuple(side.pk for side in own)))
        desk.settle()
        announcing.game_told(game, actor=actor)


def confirm(game: Game, *, actor: User, seen: int, claim: int | None = None) -> None:
    """Agree with a claim, that which the game goes by if none is named: for one's own gangs. An
    organiser who plays no gang in it confirms for everybody.

    Claims never change, so with a named one it does not matter who else has spoken meanwhile.
    """
    with transaction.atomic():
        desk = _Desk(game)
        own = desk.own(actor)
        if claim is not None and game.claim_id == claim and desk.all_agree(own):
            return
        if game.status not in OPEN:
            raise Refusal("nothing_to_confirm")
        if claim is None or not desk.stands(claim):
            desk.check(seen)
        if own:
            desk.agree(own, desk.pick(claim), actor)
            desk.settle()
        elif game.campaign.is_run_by(actor):
            desk.decide(desk.pick(claim), actor)
        else:
            raise Refusal("not_your_game")
        if game.status == Game.Status.CONFIRMED:
            announcing.game_confirmed(game, actor=actor)


def dispute(game: Game, *, comment: str, actor: User, seen: int) -> None:
    """Disagree with what the game goes by, and say why."""
    with transaction.atomic():
        desk = _Desk(game)
        if game.status not in OPEN:
            raise Refusal("nothing_to_confirm")
        desk.check(seen)
        own = desk.own(actor)
        if not own:
            raise Refusal("not_your_game")
        desk.object(own, comment, actor)
        desk.settle()
        announcing.game_disputed(game, actor=actor)


def decide(
    game: Game,
    *,
    actor: User,
    seen: int,
    claim: int | None = None,
    account: Account | None = None,
    why: str = "",
) -> None:
    """An organiser decides: takes a claim as it is, or tells himself what happened (``account``).

    A result that is confirmed already is corrected in the same way, with a reason; sides whose
    post-game stands and whom it concerns play that again, in its place.
    """
    if not game.campaign.is_run_by(actor):
        raise Refusal("not_organiser")
    with transaction.atomic():
        desk = _Desk(game)
        if account is not None and desk.says(actor, account):
            return
        desk.check(seen)
        _refuse_struck(game)
        if game.status == Game.Status.PLANNED:
            raise Refusal("nothing_to_confirm")
        corrected = game.status == Game.Status.CONFIRMED
        if corrected and not why:
            raise Refusal("reason_missing")
        before = _situations(desk.sides) if corrected else {}
        if account is None:
            desk.decide(desk.pick(claim), actor, why)
        else:
            own = Claimed(account=account, decided=True, why=why)
            desk.settle(desk.add(actor, own))
        after = _situations(desk.sides) if corrected else {}
        touched = [side for side in desk.sides if after.get(side.pk) != before.get(side.pk)]
        again = [side for side in touched if _play_again(side)]
        announcing.game_decided(game, again, actor=actor)


def withdraw(game: Game, *, actor: User, seen: int) -> None:
    """Take a game off the list: by its reporter while nobody else has spoken, by the organiser as
    long as no gang has ever played its post-game: one that was taken back may be put back."""
    organises = game.campaign.is_run_by(actor)
    if game.status == Game.Status.CONFIRMED and not organises:
        raise Refusal("confirmed_already")
    _refuse_struck(game)
    if not organises and game.reported_by_id != actor.pk:
        raise Refusal("not_your_game")
    with transaction.atomic():
        _Desk(game).check(seen)
        if any(side.batch is not None for side in game.sides.select_for_update(no_key=True)):
            raise Refusal("postgame_written")
        if not organises and game.claims.exclude(actor=actor).exists():
            raise Refusal("told_otherwise")
        hiring.give_back(game, actor=actor)
        game.delete()


def may_report(game: Game, user: User, sides: Sequence[Side]) -> bool:
    """Whether the user may say now what happened, or correct what is said."""
    if game.status == Game.Status.STRUCK:
        return False
    if game.status == Game.Status.CONFIRMED:
        return game.campaign.is_run_by(user)
    return any(side.is_of(user) for side in sides) or game.campaign.is_run_by(user)


def may_withdraw(game: Game, user: User, sides: Sequence[Side], claims: Sequence[Standing]) -> bool:
    """Whether the user may take the game off the list now."""
    if game.status == Game.Status.STRUCK or any(side.batch is not None for side in sides):
        return False
    alone = all(claim.actor == user.pk for claim in claims)
    reporter = user.is_authenticated and game.reported_by_id == user.pk
    open_ = game.status != Game.Status.CONFIRMED
    return game.campaign.is_run_by(user) or (reporter and open_ and alone)


def claims_of(game: Game, sides: Sequence[Side]) -> list[Standing]:
    """The claims that stand, oldest first. One query; sides with their gangs."""
    rows = [
        Standing(row.pk, row.actor_id, Claimed.model_validate(row.data))
        for row in game.claims.all()
    ]
    if game.status == Game.Status.CONFIRMED:
        return [row for row in rows if row.pk == game.claim_id]
    return standing(rows, [side.gang.owner_id for side in sides if side.gang])


def account_of(game: Game, sides: Sequence[Side]) -> Account:
    """What the game goes by, as one value."""
    return Account(
        result=game.result,
        played_on=game.played_on,
        note=game.note,
        sides={side.pk: Told(side.kind, side.told) for side in sides},
    )


def _refuse_struck(game: Game) -> None:
    if game.status == Game.Status.STRUCK:
        raise Refusal("game_struck")


def _situations(sides: Sequence[Side]) -> dict[int, Situation]:
    """What each post-game goes by. By whose hand somebody fell is a story, and changes none; nor
    does in which order a form names those who took part."""
    found = {}
    for side in (one for one in sides if one.gang is not None):
        situation = aftermath.situation_of(side, sides)
        fielded = tuple(sorted(situation.report.fielded))
        told = situation.report.model_copy(update={"hands": {}, "fielded": fielded})
        found[side.pk] = situation.model_copy(update={"report": told})
    return found


def _play_again(side: Side) -> bool:
    """The side's post-game goes by something else now: what was seen so far is out of date. One
    that stands is opened to be played anew in its own place; whether it was is the answer."""
    side.draft_version += 1
    if aftermath.is_done(side) and not side.correcting:
        side.correcting, side.kept_draft = True, side.draft
    side.save(update_fields=["draft_version", "correcting", "kept_draft"])
    return side.correcting


class _Desk:
    """A game that is locked while somebody speaks: its sides and claims as they are now.

    Only inside a transaction. ``settle`` writes what was said, and counts the game's version.
    """

    def __init__(self, game: Game) -> None:
        fields = [field.attname for field in game._meta.concrete_fields]
        game.refresh_from_db(
            fields=[name for name in fields if name not in ("id", "campaign_id")],
            from_queryset=Game.objects.select_for_update(no_key=True),
        )
        self.game = game
        sides = game.sides.select_for_update(of=("self",), no_key=True)
        self.sides = list(sides.select_related("gang"))
        for side in self.sides:
            side.game = game
        self.claims = claims_of(game, self.sides)
        if game.status in OPEN and not self.claims:
            self._remember()

    def check(self, seen: int) -> None:
        """Raises Stale if the game was not as it was seen."""
        if self.game.version != seen:
            raise Stale

    def own(self, actor: User) -> list[Side]:
        """The actor's sides."""
        return [side for side in self.sides if side.is_of(actor)]

    def says(self, actor: User, account: Account) -> bool:
        """Whether this is what the actor says already."""
        return any(
            claim.actor == actor.pk and claim.said.account == account for claim in self.claims
        )

    def stands(self, claim: int) -> bool:
        """Whether the claim still counts."""
        return any(one.pk == claim for one in self.claims)

    def all_agree(self, sides: Sequence[Side]) -> bool:
        """Whether these sides (at least one) agree with what the game goes by."""
        return bool(sides) and all(side.verdict == Side.Verdict.CONFIRMED for side in sides)

    def pick(self, claim: int | None) -> Standing:
        """The claim named, or that which the game goes by. Raises Stale if it no longer stands."""
        wanted = self.game.claim_id if claim is None else claim
        for one in self.claims:
            if one.pk == wanted:
                return one
        raise Stale

    def agree(
        self, sides: Sequence[Side], claim: Standing | None, actor: User | None = None
    ) -> None:
        """These sides are behind this claim now, and behind no other."""
        numbers = [side.pk for side in sides]
        self.claims = [
            one.backed(numbers) if claim and one.pk == claim.pk else one.left(numbers)
            for one in self.claims
        ]
        for side in sides:
            side.verdict, side.verdict_by = "", actor

    def object(self, sides: Sequence[Side], comment: str, actor: User) -> None:
        """These sides say in words that what the game goes by is wrong."""
        numbers = [side.pk for side in sides]
        self.claims = [
            one.left(numbers) if one.pk == self.game.claim_id else one for one in self.claims
        ]
        for side in sides:
            side.comment, side.verdict, side.verdict_by = comment, Side.Verdict.DISPUTED, actor

    def add(self, actor: User, said: Claimed) -> Standing:
        """One more claim; what the same person said before no longer stands."""
        row = Claim.objects.create(game=self.game, actor=actor, data=said.model_dump(mode="json"))
        claim = Standing(row.pk, actor.pk, said)
        self.claims = [one for one in self.claims if one.actor != actor.pk] + [claim]
        for side in self.own(actor):
            side.verdict_by = actor
        return claim

    def decide(self, claim: Standing, actor: User, why: str = "") -> None:
        """An organiser takes this claim as it is."""
        said = claim.said.model_copy(update={"decided": True, "taken": claim.pk, "why": why})
        if not claim.said.decided:
            self.game.reported_by_id = claim.actor
        before = self.claims
        decision = self.add(actor, said)
        self.claims = [*before, decision]
        self.settle(decision)

    def settle(self, decision: Standing | None = None) -> None:
        """Work out where the game stands now, and write it."""
        game, spoken = self.game, self.claims
        self.claims = [
            one
            for one in standing(
                self.claims, [side.gang.owner_id for side in self.sides if side.gang]
            )
            if one is not decision
        ]
        agreed = agreed_on(self.claims, [side.pk for side in self.sides if side.gang])
        current = decision or agreed or self._kept()
        if current is not None and (current.pk != game.claim_id or game.status == "planned"):
            self._copy(current)
            if decision is None:
                for side in self.sides:
                    side.comment = ""
        behind = set(current.said.behind) if current else set()
        elsewhere = {side for one in self.claims for side in one.said.behind}
        if decision and not decision.said.taken:
            elsewhere = set()
        for side in self.sides:
            if side.gang is None or side.pk in behind:
                side.verdict, side.comment = Side.Verdict.CONFIRMED, ""
            elif side.comment or side.pk in elsewhere:
                side.verdict = Side.Verdict.DISPUTED
            else:
                side.verdict, side.verdict_by = "", None
            side.save(
                update_fields=["side", "report", "rating", "verdict", "verdict_by", "comment"]
            )
        disputed = any(side.verdict == Side.Verdict.DISPUTED for side in self.sides)
        if decision or agreed:
            game.status = Game.Status.CONFIRMED
        else:
            game.status = Game.Status.DISPUTED if disputed else Game.Status.REPORTED
        game.version += 1
        game.save(
            update_fields=[
                "version",
                "status",
                "claim",
                "result",
                "played_on",
                "note",
                "reported_by",
            ]
        )
        # Those that nobody is behind any more, too: nobody can be taken at a word he took back.
        for one in spoken:
            Claim.objects.filter(pk=one.pk).update(data=one.said.model_dump(mode="json"))

    def _kept(self) -> Standing | None:
        """What the game goes by while nobody decides: what it went by, as long as that stands."""
        kept = [one for one in self.claims if one.pk == self.game.claim_id]
        return next(iter(kept or self.claims), None)

    def _copy(self, claim: Standing) -> None:
        """The game and its sides say what the claim says."""
        game, account = self.game, claim.said.account
        game.claim_id = claim.pk
        game.result, game.played_on, game.note = account.result, account.played_on, account.note
        if not claim.said.decided:
            game.reported_by_id = claim.actor
        for side in self.sides:
            told = account.sides[side.pk]
            side.side, side.report = told.side, told.report.model_dump(mode="json")

    def _remember(self) -> None:
        """A game that was reported before claims were kept has one from now on."""
        agreeing = [side.pk for side in self.sides if side.verdict == Side.Verdict.CONFIRMED]
        said = Claimed(account=account_of(self.game, self.sides), behind=tuple(agreeing))
        row = Claim.objects.create(
            game=self.game, actor_id=self.game.reported_by_id, data=said.model_dump(mode="json")
        )
        Game.objects.filter(pk=self.game.pk).update(claim=row)
        self.game.claim_id = row.pk
        self.claims = [Standing(row.pk, row.actor_id, said)]

"""The page before a game: dice for availability, crew, mercenaries."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from functools import partial

from crispy_forms.layout import Field, Layout
from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from campaigns.access import game_or_404, may_act_for
from campaigns.engine.crew import find_fit
from campaigns.forms import RollForm, bad_faces_form, posted_roll, roll_forms
from campaigns.models import Game, Side, Table
from campaigns.refusals import refusal_sentence
from campaigns.seeds import dice_of
from campaigns.table.crews import hiring, preparing
from campaigns.table.crews.preparing import Preparation
from campaigns.table.crews.text import candidate_label, crew_words, hire_lines, rating_words
from campaigns.text import rivals_of, scenario_name, side_names
from common.errors import Refusal, Stale
from common.forms import form_token, helper, posted_version
from gangs.text.formats import money_unit, with_unit
from rules.engine.dice import BadFaces


class CrewForm(forms.Form):
    """The choice of the crew among the candidates who can play."""

    def __init__(self, now: Preparation, data: QueryDict | None = None) -> None:
        super().__init__(data)
        playing = {candidate.key for candidate in now.crew}
        fit = find_fit(now.candidates)
        self.keys = [candidate.key for candidate in fit]
        for candidate in fit:
            name, about = candidate_label(now.book, candidate)
            self.fields[f"in-{candidate.key}"] = forms.BooleanField(
                label=name,
                help_text=escape(about),
                required=False,
                initial=candidate.key in playing,
            )
        self.helper = helper()
        self.helper.layout = Layout(
            *[Field(f"in-{key}", wrapper_class="pick") for key in self.keys]
        )

    def clean(self) -> dict[str, object]:
        """Require at least one member."""
        cleaned: dict[str, object] = self.cleaned_data
        if not any(cleaned.get(f"in-{key}") for key in self.keys):
            raise forms.ValidationError(_("Tick at least one member."))
        return cleaned

    def chosen(self) -> frozenset[str]:
        """Return the keys of the ticked candidates."""
        return frozenset(key for key in self.keys if self.cleaned_data[f"in-{key}"])


def _sides_or_404(request: Request, game_id: uuid.UUID, side_id: int) -> tuple[Side, list[Side]]:
    """The side, if the user may act for it, and all sides of the game."""
    _game, sides = game_or_404(request, game_id)
    for side in sides:
        if side.pk == side_id and may_act_for(side, request.user):
            return side, sides
    raise Http404


@require_http_methods(["GET", "HEAD", "POST"])
def prepare(request: Request, game_id: uuid.UUID, side_id: int) -> HttpResponse:
    """Show and change everything that a side prepares before a game. Each button does one thing."""
    side, sides = _sides_or_404(request, game_id, side_id)
    if side.game.status != Game.Status.PLANNED:
        messages.info(request, _("This game has been reported: its crew can no longer change."))
        return redirect(side.game)
    if request.method != "POST":
        return _page(request, side, sides)
    now = _load(side)
    crew = CrewForm(now, request.POST) if request.POST.get("act") == "pick" else None
    try:
        if crew is not None and _is_as_seen(request, side) and not crew.is_valid():
            return _page(request, side, sides, crew_form=crew, status=422)
        part = _act(request, side, crew)
    except BadFaces as bad:
        chance = now.chances[request.POST["key"]]
        form = bad_faces_form(request.POST, chance, bad)
        return _page(request, side, sides, bad_roll=(chance.key, form), status=422)
    except Refusal as refusal:
        return _page(request, side, sides, error=refusal_sentence(refusal), status=422)
    except Stale:
        side, sides = _sides_or_404(request, game_id, side_id)
        error = _(
            "This was changed in another window. Nothing was overwritten: here is the latest "
            "version."
        )
        return _page(request, side, sides, error=error, status=409)
    return redirect(f"{reverse('campaigns:prepare', args=[game_id, side_id])}#{part}")


def _is_as_seen(request: Request, side: Side) -> bool:
    """Whether the posted page showed the current side and gang."""
    posted = posted_version(request.POST, "seen"), posted_version(request.POST, "seen_gang")
    return side.gang is not None and posted == (side.draft_version, side.gang.version)


def _act(request: Request, side: Side, crew: CrewForm | None) -> str:
    """Do the posted action. Returns the part of the page that it changed. Raises Refusal."""
    post, actor, key = request.POST, request.user, request.POST.get("key", "")
    version, gang_version = posted_version(post, "seen"), posted_version(post, "seen_gang")
    dice = dice_of(side)
    rolled = posted_roll(post, dice)
    if rolled is not None:
        preparing.roll(side, rolled, expected_version=version, actor=actor, dice=dice)
        return "dice"
    match post.get("act"):
        case "pick" | "all" | "none" as choice:
            preparing.pick(
                side,
                partial(_chosen, choice, crew),
                expected_version=version,
                seen_gang=gang_version,
            )
            return "crew"
        case "hire":
            token = form_token(post, request.path)
            hiring.hire(side, key, expected_version=gang_version, actor=actor, token=token)
            return "hire"
        case "send-back":
            hiring.send_back(side, key, expected_version=gang_version, actor=actor)
            return "hire"
    raise Refusal("not_offered")


def _chosen(choice: str, crew: CrewForm | None, now: Preparation) -> Collection[str]:
    if crew is not None:
        return crew.chosen()
    return preparing.everybody(now) if choice == "all" else ()


def _load(side: Side) -> Preparation:
    return preparing.prepare_crew(side, preparing.homes_of([side], side.game))


def _page(
    request: Request,
    side: Side,
    sides: list[Side],
    *,
    crew_form: CrewForm | None = None,
    bad_roll: tuple[str, RollForm] | None = None,
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    assert side.gang is not None
    now, game, book = _load(side), side.game, side.gang.book
    forms = roll_forms(now.chances.values(), bad_roll)
    hired, offers = hire_lines(side, sides, hiring.pool(game.campaign))
    context = {
        "side": side,
        "gang": side.gang,
        "game": game,
        "campaign": game.campaign,
        "book": book,
        "rival": rivals_of(book, side, sides),
        "name": side_names(sides)[side.pk],
        "strength": crew_words(book, now.crew),
        "rating": rating_words(book, side.gang.rating),
        "now": now,
        "is_table_open": Table.objects.filter(game=game).exists(),
        "hired": hired,
        "offers": offers,
        "treasury": with_unit(now.roster.treasury, money_unit(book)) if book.money else "",
        "chances": [(chance, forms.get(key)) for key, chance in now.chances.items()],
        "crew_form": crew_form or CrewForm(now),
        "scenario_name": scenario_name(game.campaign.book, game),
        "token": uuid.uuid4(),
        "error": error,
    }
    return render(request, "campaigns/table/crews/prepare.html", context, status=status)

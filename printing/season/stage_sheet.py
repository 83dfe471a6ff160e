"""A stage on paper: its table, ladder or bracket, and the fixtures of all rounds."""

from __future__ import annotations

from django.template.loader import render_to_string
from django.utils.timezone import localdate

from accounts.models import User
from campaigns.league import pages
from campaigns.league.brackets import Bracket, draw_tree, load_bracket
from campaigns.league.loading import LoadedStage
from campaigns.models import Stage
from printing.paper import orders
from printing.paper.orders import Order
from printing.paper.page import ornament, page_rules
from printing.press.jobs import Job

STYLES = ("fonts", "yearbook")


def job(loaded: LoadedStage, user: User, order: Order) -> Job:
    """Return the stage for the press. The reader decides nothing of what it shows."""
    stage, campaign = loaded.stage, loaded.stage.campaign
    look = campaign.book.look
    is_ladder = stage.format == Stage.Format.LADDER
    is_knock_out = stage.format == Stage.Format.KNOCK_OUT
    bracket = load_bracket(loaded) if is_knock_out else Bracket()
    context = {
        "title": f"{campaign.name} · {stage.name}",
        "campaign": campaign,
        "stage": stage,
        "order": order,
        "measures": page_rules(order, look, ornament=ornament(order, look)),
        "described": pages.describe_stage(loaded),
        "winner": pages.winner_name(loaded),
        "nobody_left": pages.ends_without_winner(loaded),
        "standings": [] if is_ladder or is_knock_out else pages.standing_lines(loaded, user),
        "columns": pages.table_columns(loaded),
        "rungs": [loaded.names[key] for key in loaded.ladder] if is_ladder else [],
        "tree": draw_tree(bracket) if bracket.rounds else None,
        "third": bracket.third,
        "blocks": pages.round_blocks(loaded),
        "day": localdate(),
    }
    return Job(render_to_string("printing/season/stage.html", context), STYLES)


def key(printed: Job) -> str:
    """Return the key of a printed stage: everything that it shows is in its HTML."""
    return orders.key("stage", printed.html, printed.styles)

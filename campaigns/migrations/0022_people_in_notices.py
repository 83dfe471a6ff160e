"""Notices refer to people by key instead of containing their names, so that the name of a deleted
account stays nowhere: neither of one that is deleted later, nor of one that is deleted already."""

from __future__ import annotations

import re

from django.db import migrations
from django.db.models import Q

AT_ONCE = 1000
# Kinds of notices whose "name" is a person's, and not a gang's or member's.
NAMED = ("gang_given", "gang_taken", "gang_brought")
# The game that a notice leads to.
GAME = re.compile(r"/games/([0-9a-f-]{36})/")
# A gang with its player, as a notice of a round names an opponent.
OWNED = re.compile(r"(.*) \((.*)\)", re.DOTALL)
# The key of an account that no longer exists.
NOBODY = 0


class People:
    """The keys of the accounts with these names. A name that stands for a person of another site
    counts if only one account has it."""

    def __init__(self, users):
        self.keys = {}
        for key, name in users.exclude(stands_for="").values_list("pk", "stands_for"):
            self.keys[name] = NOBODY if name in self.keys else key
        self.keys |= dict(users.filter(stands_for="").values_list("username", "pk"))

    def refer(self, name):
        if name.startswith("\x1a"):
            return name
        return f"\x1a{self.keys.get(name, NOBODY)}\x1a" if name else ""


def refer_to_people(apps, schema_editor):
    people = People(apps.get_model("accounts", "User").objects)
    sides = apps.get_model("campaigns", "Side").objects
    model = apps.get_model("accounts", "Notice")
    # Notices of other apps have no such values.
    found = model.objects.filter(
        Q(values__has_key="actor")
        | Q(values__has_key="other")
        | Q(values__has_key="game")
        | Q(kind__in=NAMED)
    )
    rows, last = found.order_by("pk"), 0
    while batch := list(rows.filter(pk__gt=last)[:AT_ONCE]):
        last = batch[-1].pk
        for notice in batch:
            notice.values = _referring(notice, people, sides)
        model.objects.bulk_update(batch, ["values"])


def _referring(notice, people, sides):
    values = dict(notice.values)
    if "actor" in values:
        values["actor"] = people.refer(values["actor"])
    if "name" in values and notice.kind in NAMED:
        values["name"] = people.refer(values["name"])
    if "other" in values and (owned := OWNED.fullmatch(values["other"])):
        values["other"] = f"{owned[1]} ({people.refer(owned[2])})"
    # The sides of a game have their players' names only where another gang has the same name.
    if "(" in values.get("game", "") and (game := GAME.search(notice.url)):
        names = sides.filter(game=game[1]).values_list("name", flat=True)
        parts = values["game"].split(" – ")
        values["game"] = " – ".join(_without_name(part, names, people) for part in parts)
    return values


def _without_name(part, names, people):
    for name in names:
        if part.startswith(f"{name} (") and part.endswith(")") and part not in names:
            return f"{name} ({people.refer(part[len(name) + 2 : -1])})"
    return part


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0021_photos"), ("accounts", "0008_fill_skeletons")]

    operations = [migrations.RunPython(refer_to_people, migrations.RunPython.noop)]

"""A site with many gangs: campaigns of eight, each copied from one that was played for real.

    python -m tests.two_sites.crowd NAME GANGS

NAME: the beginning of the owners' names, different each time. Only for PostgreSQL, which copies
rows without sending them. Prints the readers as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from itertools import product
from typing import Any

import django

EACH = 8
READERS = 16
SHARED = 200
SLUG = "blackwater-gulch"


def template() -> Any:
    """Return a campaign of eight gangs of ten members with three items each, and a stage with a
    round, made as by clicks."""
    from accounts.models import User
    from campaigns.club.people import joining
    from campaigns.models import Campaign
    from gangs.models import Gang
    from tests.world.campaigns import make_stage
    from tests.world.gangs import make_big_gang, make_version

    if known := Campaign.objects.filter(name="The crowd").order_by("created_at").first():
        return known
    owner = User.objects.create_user("crowd")
    campaign = joining.start(
        name="The crowd",
        version=make_version(SLUG),
        settings={},
        notes="",
        organiser=owner,
        token=uuid.uuid4(),
    )
    for _gang in range(EACH):
        gang = Gang.objects.get(pk=make_big_gang(owner, 10, SLUG).pk)
        joining.join(campaign, gang, actor=owner, expected_version=gang.version)
    make_stage(campaign, *Gang.objects.filter(memberships__campaign=campaign))
    return campaign


def copied(model: Any, source: str, **values: str) -> None:
    """Copy rows: ``source``: the FROM clause, with the row called ``t``; ``values``: the columns
    that differ in a copy, as SQL.
    """
    from django.db import connection

    columns = [field.column for field in model._meta.concrete_fields]
    if model._meta.pk.get_internal_type() == "BigAutoField":
        columns.remove(model._meta.pk.column)
    given = [values.get(column, f't."{column}"') for column in columns]
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        chosen = f"SELECT {', '.join(given)} FROM {source}"  # noqa: S608
        cursor.execute(f'INSERT INTO "{model._meta.db_table}" ({names}) {chosen}')


def copy_stages(old: str) -> None:
    """Copy the stage of a campaign, with its round and its fixtures, to the campaigns of the table
    ``gangs``."""
    from campaigns.models import Entrant, Fixture, Round, Stage

    stage = "md5({}::text || g.campaign::text)::uuid"
    each = "(SELECT DISTINCT campaign FROM gangs) g"
    copied(
        Stage,
        f"campaigns_stage t CROSS JOIN {each} WHERE t.campaign_id = '{old}'",
        id=stage.format("t.id"),
        campaign_id="g.campaign",
        token="gen_random_uuid()",
    )
    copied(
        Entrant,
        "campaigns_entrant t JOIN gangs g ON g.template = t.gang_id",
        stage_id=stage.format("t.stage_id"),
        gang_id="g.id",
    )
    copied(
        Round,
        "campaigns_round t JOIN campaigns_stage s ON s.id = t.stage_id"
        f" CROSS JOIN {each} WHERE s.campaign_id = '{old}'",
        stage_id=stage.format("t.stage_id"),
    )
    copied(
        Fixture,
        "campaigns_fixture t JOIN campaigns_round o ON o.id = t.round_id"
        " JOIN gangs g ON g.template = t.home_id"
        " JOIN gangs a ON a.template = t.away_id AND a.campaign = g.campaign"
        " JOIN campaigns_round r ON r.number = o.number"
        f" AND r.stage_id = {stage.format('o.stage_id')}",
        round_id="r.id",
        home_id="g.id",
        away_id="a.id",
    )


def spread(campaign: Any, name: str, gangs: int) -> None:
    """Copy the campaign until there are this many gangs, with an owner for every ten."""
    from django.db import connection

    from accounts.models import User
    from campaigns.models import Campaign, Membership, Participant
    from gangs.models import Gang, StoredEntry, Timeline

    number = gangs // EACH
    owner = User.objects.get(username="crowd")
    copied(
        User,
        f"accounts_user t CROSS JOIN generate_series(1, {gangs // 10 + 1}) n"
        f" WHERE t.id = {owner.pk}",
        username=f"'{name}' || n",
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE copies AS SELECT n, gen_random_uuid() AS campaign"
            f" FROM generate_series(0, {number - 1}) n"
        )
        cursor.execute(
            "CREATE TEMP TABLE owners AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS n"
            f" FROM accounts_user WHERE username ~ '^{name}[0-9]+$'"
        )
        cursor.execute(
            "CREATE TEMP TABLE gangs AS SELECT t.id AS template, gen_random_uuid() AS id,"
            " c.campaign, o.id AS owner FROM copies c CROSS JOIN"
            " (SELECT gang_id AS id, row_number() OVER (ORDER BY id) - 1 AS k"
            f" FROM campaigns_membership WHERE campaign_id = '{campaign.pk}') t"
            f" JOIN owners o ON o.n = (c.n * {EACH} + t.k) / 10"
        )
        cursor.execute("ANALYZE gangs")
    key = "substr(replace(gen_random_uuid()::text, '-', ''), 1, 30)"
    old = str(campaign.pk)
    copied(
        Campaign,
        f"campaigns_campaign t CROSS JOIN copies c WHERE t.id = '{old}'",
        id="c.campaign",
        invite_key=key,
        watch_key=key,
        token="gen_random_uuid()",
    )
    here = "JOIN gangs g ON g.template = t."
    renewed = f"replace(t.{{}}, '{old}', g.campaign::text)"
    copied(
        Gang,
        f"gangs_gang t {here}id",
        id="g.id",
        owner_id="g.owner",
        share_key=key,
        share_code="upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 8))",
        snapshot=renewed.format("snapshot"),
    )
    copied(
        Timeline,
        f"gangs_timeline t {here}gang_id",
        gang_id="g.id",
        data=renewed.format("data"),
    )
    copied(
        StoredEntry,
        f"{StoredEntry._meta.db_table} t {here}gang_id",
        gang_id="g.id",
        actor_id="g.owner",
        data=renewed.format("data::text") + "::jsonb",
    )
    copied(
        Membership,
        f"campaigns_membership t {here}gang_id",
        gang_id="g.id",
        campaign_id="g.campaign",
    )
    copied(
        Participant,
        "campaigns_participant t CROSS JOIN (SELECT DISTINCT campaign, owner FROM gangs) g"
        f" WHERE t.campaign_id = '{old}' AND t.user_id = {owner.pk}",
        campaign_id="g.campaign",
        user_id="g.owner",
    )
    copy_stages(old)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def readers(name: str) -> list[dict[str, Any]]:
    """Return people who are signed in: the key of a session, a gang of theirs and its campaign."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from accounts.models import User
    from campaigns.models import Membership

    found = []
    people = User.objects.filter(username__regex=f"^{name}[0-9]+$").order_by("pk")
    for user in people[: READERS * 4]:
        membership = Membership.objects.filter(gang__owner=user).select_related("gang").first()
        if membership is None or len(found) == READERS:
            continue
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        found.append(
            {
                "session": session.session_key,
                "gang": f"/gangs/{membership.gang_id}/",
                "version": membership.gang.version,
                "campaign": f"/campaigns/{membership.campaign_id}/",
            }
        )
    return found


def main() -> None:
    """Fill the site, and print the readers."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "skirmish.settings"
    django.setup()
    from gangs.models import Gang

    name, gangs = sys.argv[1], int(sys.argv[2])
    spread(template(), name, gangs)
    keys = Gang.objects.order_by("?").values_list("share_key", flat=True)[:SHARED]
    kinds = product(("a4", "letter"), ("ink", "illustrated"))
    sheets = [
        f"/s/{key}/sheet.pdf?paper={paper}&style={style}" for paper, style in kinds for key in keys
    ]
    told = {"gangs": Gang.objects.count(), "readers": readers(name), "sheets": sheets}
    print(json.dumps(told))


if __name__ == "__main__":
    main()

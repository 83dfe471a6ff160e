"""Data pages hide secrets from staff on every page, lookup, order and search."""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from django.apps import apps
from django.db import connection
from django.db.models import CharField, Model, UUIDField
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts import mailing
from accounts.models import SiteInvitation, User
from administration.data.hidden import OPEN, hidden_columns, is_hidden
from administration.data.site import APPS, browsing
from campaigns.models import Campaign
from campaigns.table.storage import open_for
from gangs.models import Gang, Timeline
from tests.administration.data.test_site import addresses
from tests.world.campaigns import make_campaign, make_game, make_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def gang(alice: User, bob: User) -> Gang:
    return make_player(make_campaign(bob), alice)


# Names that suggest that a column's value gives access.
TELLING = re.compile(
    "key|secret|token|password|passwd|hash|body|digest|code|seed|private|credential|signature"
    "|device|otp|cookie|session|salt|nonce|pin$|login$"
)


def test_every_column_that_looks_secret_is_declared() -> None:
    """A new column is hidden by its name, or listed as open with a reason."""
    undeclared = [
        f"{model._meta.label}.{field.name}"
        for label in APPS
        for model in apps.get_app_config(label).get_models()
        for field in model._meta.concrete_fields
        if TELLING.search(field.name) and not is_hidden(field)
    ]
    assert set(undeclared) - {"accounts.User.last_login"} == OPEN


def test_table_with_a_secret_key_is_left_out(as_root: Client) -> None:
    assert [model for model in browsing._registry if is_hidden(model._meta.pk)] == []
    assert as_root.get("/administration/data/gangs/guest/").status_code == 404
    # A gang's page does not show its rows either.
    assert "guest" in hidden_columns(Gang)


@pytest.fixture
def marked(gang: Gang, alice: User) -> list[str]:
    """Fill every hidden column of many tables with unique values; return these values."""
    mailing.compose("Your password", "x", "b@example.org").save()
    SiteInvitation.objects.create(token=uuid.uuid4(), places=1, ends_at=timezone.now())
    address = EmailAddress.objects.create(user=alice, email="alice@example.org")
    EmailConfirmation.objects.create(email_address=address, sent=timezone.now(), key="x")
    campaign = Campaign.objects.get()
    rival = make_player(campaign, User.objects.create_user("dora"))
    game = make_game(campaign, alice, gang, rival)
    Timeline.objects.get_or_create(gang=gang, defaults={"data": "[]"})
    open_for(game, list(game.sides.select_related("gang__owner")))
    values = []
    for model in browsing._registry:
        for name in hidden_columns(model):
            field = model._meta.get_field(name)
            for number, row in enumerate(model._default_manager.order_by("pk")):
                value: Any = f"{len(values)}marked{number}"
                if isinstance(field, UUIDField):
                    value = uuid.uuid4()
                elif not isinstance(field, CharField) and name not in ("body", "value"):
                    continue
                elif field.max_length and field.max_length < 9:
                    value = f"Z{len(values) % 97:02}Q{number % 10}"
                model._default_manager.filter(pk=row.pk).update(**{name: value})
                values += [str(value), getattr(value, "hex", str(value))]
    assert len(values) > 40
    return values


@pytest.fixture
def as_helper(marked: list[str], helper: User) -> Client:
    """The helper, signed in after the passwords were marked, which ends sessions."""
    client = Client()
    client.force_login(User.objects.get(pk=helper.pk))
    return client


@pytest.mark.long
def test_no_page_shows_a_hidden_value(as_helper: Client, marked: list[str]) -> None:
    shown = re.compile("|".join(map(re.escape, marked)))
    for name, address in addresses():
        answer = as_helper.get(address)
        assert answer.status_code == (403 if name.endswith((" add", " delete")) else 200), name
        assert shown.findall(answer.content.decode()) == [], name
        found = as_helper.get(address, {"q": marked[0], "_popup": "1", "all": ""})
        assert shown.findall(found.content.decode().replace(marked[0], "")) == [], name


LOOKUPS = (
    "",
    "__exact",
    "__iexact",
    "__startswith",
    "__istartswith",
    "__contains",
    "__icontains",
    "__endswith",
    "__regex",
    "__iregex",
    "__gt",
    "__gte",
    "__lt",
    "__lte",
    "__in",
    "__range",
    "__isnull",
    "__length",
    "__length__gt",
    "__lower__startswith",
    "__0",
    "__a__startswith",
)


def columns_within(model: type[Model], depth: int, seen: Any = ()) -> Iterator[str]:
    """Return the path of every hidden column reachable from a table, through any relations."""
    for field in model._meta.get_fields(include_hidden=False):
        names = {field.name, getattr(field, "attname", field.name)}
        if field.is_relation:
            other = field.related_model
            assert isinstance(other, type)
            if getattr(field, "primary_key", False):
                names.add("pk")
            if depth and other not in seen:
                for name, inner in itertools.product(
                    sorted(names), list(columns_within(other, depth - 1, (*seen, model)))
                ):
                    yield f"{name}__{inner}"
        if getattr(field, "concrete", False) and not field.many_to_many and is_hidden(field):
            yield from names


def test_no_lookup_reaches_a_hidden_column(rf: Any, helper: User) -> None:
    """Covers every path from every table to its own and related hidden columns."""
    request: HttpRequest = rf.get("/")
    request.user = helper
    tried = 0
    for model, shown in browsing._registry.items():
        for path in columns_within(model, 2):
            for lookup in LOOKUPS:
                assert not shown.lookup_allowed(f"{path}{lookup}", "x", request), (model, path)
                tried += 1
    assert tried > 10_000


def test_shown_columns_can_be_looked_up(rf: Any) -> None:
    for model, shown in browsing._registry.items():
        for field in model._meta.concrete_fields:
            if not is_hidden(field):
                assert shown.lookup_allowed(f"{field.name}__exact", "x", rf.get("/"))
                assert shown.lookup_allowed(f"{field.attname}__isnull", "x", rf.get("/"))


@pytest.mark.long
@pytest.mark.parametrize(
    "address, column",
    [
        ("accounts/user", "password"),
        ("gangs/gang", "share_key"),
        ("gangs/gang", "owner__password"),
        ("gangs/timeline", "pk__share_key"),
        ("gangs/timeline", "pk__owner__password"),
        ("gangs/timeline", "gang__owner__password"),
        ("campaigns/campaign", "watch_key"),
        ("campaigns/campaign", "invite_key"),
        ("campaigns/side", "dice_secret"),
        ("common/job", "body"),
        ("account/emailconfirmation", "key"),
        ("accounts/siteinvitation", "key"),
    ],
)
def test_no_answer_confirms_a_guessed_secret(as_helper: Client, address: str, column: str) -> None:
    """Right and wrong guesses are refused alike, before the table is read."""
    model = apps.get_model(*address.split("/"))
    real = next(iter(model._default_manager.exclude(**{column: ""}).values_list(column, flat=True)))
    assert real
    for lookup in ("startswith", "regex", "gt", "exact", "in", "isnull"):
        answers = []
        for guess in (real, real[:3], f"^{real[:1]}", "zzz", "1"):
            with CaptureQueriesContext(connection) as queries:
                page = as_helper.get(
                    f"/administration/data/{address}/", {f"{column}__{lookup}": guess}
                )
            answers.append((page.status_code, page.content, len(queries)))
        assert len(set(answers)) == 1 and answers[0][0] == 400


@pytest.mark.long
def test_no_order_and_no_search_reads_a_hidden_column(as_helper: Client, helper: User) -> None:
    """Sorting by any column or invalid number depends only on shown columns."""
    hidden = re.compile(
        "|".join(
            f'"{model._meta.db_table}"."{model._meta.get_field(name).column}"'
            for model in browsing._registry
            for name in hidden_columns(model)
        )
    )
    for model in browsing._registry:
        label, name = model._meta.app_label, model._meta.model_name
        address = reverse(f"admin:{label}_{name}_changelist")
        columns = [str(number) for number in range(-9, 10)]
        for query in [{}, {"q": "x"}, *({"o": column} for column in columns), {"o": "1.-2.3"}]:
            with CaptureQueriesContext(connection) as queries:
                assert as_helper.get(address, query).status_code == 200
            # Every page reads the whole row of the reader's own account.
            reader = f'"accounts_user"."id" = {helper.pk}'
            for sql in [one["sql"] for one in queries if reader not in one["sql"]]:
                chosen_by = sql.partition(" FROM ")[2]
                assert hidden.findall(chosen_by) == [], (query, sql)


def test_rows_are_addressed_only_by_their_key(as_helper: Client, gang: Gang) -> None:
    address = "/administration/data/gangs/gang/"
    for column in ("share_key", "share_code", "name", "guest", "nothing"):
        assert as_helper.get(address, {"_to_field": column}).status_code == 400
        change = f"{address}{gang.share_key}/change/"
        assert as_helper.get(change, {"_to_field": column}).status_code == 400
        for what in ("delete", "history"):
            answer = as_helper.get(f"{address}{gang.share_key}/{what}/", {"_to_field": column})
            assert answer.status_code in (302, 400, 403)
    assert as_helper.get(f"{address}{gang.pk}/change/", {"_to_field": "id"}).status_code == 200
    names = {"app_label": "gangs", "model_name": "gang", "field_name": "guest", "term": ""}
    assert as_helper.get("/administration/data/autocomplete/", names).status_code == 404

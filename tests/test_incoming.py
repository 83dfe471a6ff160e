"""Hostile bytes in requests: the site answers with a page and words, never with a fault, and stores
nothing nasty.
"""

from __future__ import annotations

import json
import uuid
import xml.etree.ElementTree as ElementTree
from io import BytesIO
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import translation
from django.utils.translation import gettext

from accounts.models import User
from campaigns.models import Campaign
from campaigns.table.storage import open_alone
from common.text import is_fit, one_line
from gangs.files.exporting import export_gang
from gangs.ledger import writer
from gangs.models import Gang
from skirmish import settings as site_settings
from tests.common.nasty import NASTY
from tests.world.campaigns import confirmed, make_campaign, make_game, make_player, reported
from tests.world.gangs import POINTS, make_gang, make_version

# As a browser writes them into an address; half a letter comes as bytes that are not UTF-8.
BYTES = {name: quote(text, errors="surrogatepass") for name, text in NASTY.items()} | {
    "no UTF-8": "%ff%fe%c0%80",
    "no escape": "%zz%",
}


@pytest.mark.django_db
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_gang_accepts_or_refuses_any_name(client: Client, alice: User, text: str) -> None:
    """The gang is founded, renamed, given members and notes, exported and imported."""
    make_version()
    client.force_login(alice)
    typed = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    name = one_line(typed)
    fields = {**_founding(client), "name": typed}
    answer = client.post(f"/gangs/new/{POINTS}/", fields)
    assert answer.status_code == (302 if 0 < len(name) <= 80 else 422)
    gang = Gang.objects.filter(owner=alice).first() or make_gang(alice)
    address = gang.get_absolute_url()
    rank = gang.book.ranks[-1].key
    for path, more in (
        ("about/", {"name": typed, "notes": f"{typed}\n{typed}"}),
        ("members/", {"rank": rank, "name": typed, "count": "2"}),
    ):
        gang = Gang.objects.get(pk=gang.pk)
        answer = client.post(address + path, {**_options(gang), **more, "version": gang.version})
        assert answer.status_code in (302, 422)
    gang = Gang.objects.get(pk=gang.pk)
    assert is_fit(gang.snapshot)
    assert writer.replay_roster(gang) == gang.roster
    assert client.get(address).status_code == 200
    content = client.get(f"{address}export/").content
    file = SimpleUploadedFile("gang.json", content, content_type="application/json")
    assert client.post("/gangs/import/", {"file": file}).status_code == 302
    copy = Gang.objects.exclude(pk=gang.pk).latest("created_at")
    assert copy.roster == gang.roster
    assert export_gang(copy) == export_gang(gang)


def _founding(client: Client) -> dict[str, str]:
    """Return the other fields of the form for a new gang, with its defaults."""
    form = client.get(f"/gangs/new/{POINTS}/").context["form"]
    return {name: str(form[name].value() or "") for name in form.fields}


def _options(gang: Gang) -> dict[str, str]:
    return {f"option-{key}": str(value) for key, value in gang.roster.settings.items()}


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_campaign_accepts_or_refuses_any_text(
    client: Client, bob: User, alice: User, text: str
) -> None:
    """The campaign's feed is XML, its calendar has lines, and it is exported to a file."""
    campaign = make_campaign(bob)
    first, second = make_player(campaign, alice), make_player(campaign, bob)
    game = confirmed(reported(make_game(campaign, alice, first, second), alice), bob)
    client.force_login(bob)
    typed = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    night = {"day": "2030-01-01", "time": "20:00", "place": typed, "note": typed}
    answer = client.post(
        f"{campaign.get_absolute_url()}nights/new/", {**night, "token": str(uuid.uuid4())}
    )
    assert answer.status_code in (302, 422)
    why = {"reason": typed, "seen": game.version}
    assert client.post(f"{game.get_absolute_url()}strike/", why).status_code in (200, 302, 409, 422)
    feeds = f"/campaigns/feeds/{campaign.watch_key}"
    feed = client.get(f"{feeds}/chronicle.atom")
    assert ElementTree.fromstring(feed.content).tag.endswith("feed")
    assert client.get(f"{feeds}/nights.ics").status_code == 200
    content = client.get(f"{campaign.get_absolute_url()}export/").content
    assert is_fit(json.dumps(json.loads(content), ensure_ascii=False))
    file = SimpleUploadedFile("c.json", content, content_type="application/json")
    answer = client.post("/campaigns/import/", {"file": file, "token": str(uuid.uuid4())})
    assert answer.status_code == 302
    assert Campaign.objects.count() == 2


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize("written", BYTES.values(), ids=BYTES)
def test_addresses_and_searches_survive_odd_text(client: Client, alice: User, written: str) -> None:
    gang = make_gang(alice)
    campaign = make_campaign(alice)
    client.force_login(alice)
    home = campaign.get_absolute_url()
    addresses = [
        f"/{written}/",
        f"/s/{written}/",
        f"/gangs/new/{written}/",
        f"/campaigns/watch/{written}/",
        f"/campaigns/feeds/{written}/chronicle.atom",
        f"/rules/{POINTS}/search/?q={written}",
        f"/rules/{POINTS}/{written}/",
        f"/gangs/new/{POINTS}/?version={written}",
        f"{gang.get_absolute_url()}?open={written}",
        f"{gang.get_absolute_url()}history/?{written}={written}",
        f"{gang.get_absolute_url()}upgrade/?version={written}",
        f"{home}?page={written}",
        f"{home}chronicle/?day={written}&page={written}",
        f"{home}games/new/?night={written}",
        f"{home}upgrade/?version={written}",
        f"/campaigns/feeds/{campaign.watch_key}/chronicle.atom?lang={written}",
        f"/accounts/login/?next={written}",
    ]
    for address in addresses:
        path, _sign, query = address.partition("?")
        # As a server passes it on: the path as bytes, the query unchanged.
        answer = client.generic("GET", path, QUERY_STRING=query)
        assert answer.status_code < 500, address


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "django_language", "theme", "messages"])
@pytest.mark.parametrize(
    "value",
    [r'"aaaaaaaa\000"', r'"\377\376aaaaaaaa"', "\xff\xfe" * 8, '"', r'"\ud800"', "x" * 4000],
)
def test_cookies_with_odd_text_cause_no_error(client: Client, name: str, value: str) -> None:
    answer = client.generic("GET", "/gangs/", HTTP_COOKIE=f"{name}={value}")
    assert answer.status_code in (200, 302)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    ["ACCEPT_LANGUAGE", "REFERER", "IF_NONE_MATCH", "IF_MODIFIED_SINCE", "HX_REQUEST", "ACCEPT"]
    + ["HX_CURRENT_URL", "X_FORWARDED_FOR", "USER_AGENT", "ORIGIN"],
)
@pytest.mark.parametrize("value", ["\xff\xfe\x00", "", "," * 3000, "a" * 4000, '"', "%00%ff"])
def test_headers_with_odd_text_cause_no_error(
    client: Client, alice: User, name: str, value: str
) -> None:
    client.force_login(alice)
    answer = client.generic("GET", "/gangs/", headers=None, **{f"HTTP_{name}": value})
    assert answer.status_code < 500
    answer = client.post("/theme/", {"theme": "dark"}, headers=None, **{f"HTTP_{name}": value})
    assert answer.status_code < 500


@pytest.mark.django_db
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_signing_up_and_in_with_odd_text_causes_no_error(client: Client, text: str) -> None:
    typed = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    password = f"correct horse {typed}"
    fields = {"username": typed, "email": f"{typed}@example.org"}
    answer = client.post(
        "/accounts/signup/", {**fields, "password1": password, "password2": password}
    )
    assert answer.status_code < 500
    for user in User.objects.all():
        assert is_fit(user.username)
    answer = client.post("/accounts/login/", {"login": typed, "password": password})
    assert answer.status_code < 500


def test_password_is_not_cleaned(client: Client, db: None) -> None:
    make_version()
    password = "Zoe\u0301 \u202e twelve letters"
    fields = {"username": "zoe", "password1": password, "password2": password}
    assert client.post("/accounts/signup/", fields).status_code == 302
    assert User.objects.get().check_password(password)


@pytest.mark.django_db
def test_fields_with_odd_names_are_ignored(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    body = {"name": "Other", "na\x00me": "x", "version": gang.version, **_options(gang)}
    answer = client.post(f"{gang.get_absolute_url()}about/", body)
    assert answer.status_code == 302
    assert Gang.objects.get().name == "Other"


class Unread(BytesIO):
    """A request body that fails the test when it is read."""

    def read(self, *size: Any) -> bytes:
        raise AssertionError("read")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/gangs/import/", "/campaigns/import/", "/theme/", "/x/"])
def test_a_body_that_is_too_large_is_not_read(client: Client, address: str) -> None:
    extra: dict[str, Any] = {
        "CONTENT_LENGTH": str(site_settings.BIGGEST_BODY + 1),
        "wsgi.input": Unread(),
        "CONTENT_TYPE": "multipart/form-data; boundary=x",
    }
    answer = client.generic("POST", address, **extra)
    assert answer.status_code == 413
    assert "That is too large" in answer.content.decode()
    assert "trop volumineux" in answer.content.decode()


def test_a_script_learns_in_its_language_that_a_body_is_too_large(client: Client) -> None:
    """Not in the language of the request before."""
    translation.activate("fr")
    extra: dict[str, Any] = {"CONTENT_LENGTH": str(site_settings.BIGGEST_BODY + 1)}
    extra |= {"CONTENT_TYPE": "application/json", "HTTP_ACCEPT_LANGUAGE": "de"}
    refused = client.generic("POST", "/theme/", **extra).json()["error"]
    with translation.override("de"):
        assert refused == gettext("That is too large. Send less at a time.")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        "&".join(f"f{number}=1" for number in range(6_000)),
        "name=" + "x" * 1_100_000,
    ],
    ids=["fields", "bytes"],
)
def test_body_with_too_many_fields_is_refused(client: Client, body: str) -> None:
    answer = client.post("/theme/", body, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 413
    assert "That is too large" in answer.content.decode()


def test_largest_file_is_accepted() -> None:
    from campaigns.files import reading
    from gangs.pictures.storage import BIGGEST_FILE

    assert max(reading.LIMITS.size, BIGGEST_FILE) + 500_000 < site_settings.BIGGEST_BODY


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"{}"),
        ("multipart/form-data; boundary=x", b"--x\r\nbroken"),
        ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * 20_000)),
    ],
)
def test_unknown_address_answers_404_to_any_body(kind: str, body: bytes) -> None:
    """Django's page looks for a token in the fields if the client has a cookie for one."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.cookies["csrftoken"] = "x" * 32
    answer = client.generic("POST", "/nothing/is/here/", body, content_type=kind)
    assert answer.status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("declared", [None, site_settings.BIGGEST_BODY + 1])
def test_a_script_that_sends_too_much_gets_json(
    client: Client, alice: User, declared: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether the length it declares is too large, or only larger than its view reads."""
    gang = make_gang(alice)
    table = open_alone([gang], owner=alice, guest=None, token="one")
    client.force_login(alice)
    extra: dict[str, Any] = {} if declared is None else {"CONTENT_LENGTH": str(declared)}
    body = "[" + "1," * 600_000 + "1]"
    address = f"{table.get_absolute_url()}taps/"
    answer = client.generic("POST", address, body, content_type="application/json", **extra)
    assert answer.status_code == 413
    assert answer.json() == {"error": "That is too large. Send less at a time."}
    assert "Traceback" not in caplog.text

"""Sharing a gang: from its own page and from its sheet, by link, by QR code and by a short code to
say.
"""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs import short_codes
from gangs.cards.cache import page_of
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.files.importing import write_gang
from gangs.models import Gang
from gangs.short_codes import short_code
from tests.world.gangs import make_gang


@pytest.mark.parametrize("page", ["gangs:builder", "gangs:sheet"])
def test_link_is_on_the_gang_s_pages(client: Client, alice: User, page: str) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    text = client.get(reverse(page, args=[gang.pk])).content.decode()
    link = f"http://testserver{reverse('gangs:shared', args=[gang.share_key])}"
    assert f'<p class="address" id="share-link">{link}</p>' in text
    # Buttons that only scripts show copy it and pass it on; the QR code is fetched when needed.
    assert 'data-copy="share-link" hidden' in text
    assert f'data-share="share-link" data-title="{gang.name}" hidden' in text
    code = re.search(r'<img src="(/s/[^"]+code\.svg)"[^>]* loading="lazy"', text)
    assert code is not None
    answer = client.get(code[1])
    assert answer["Content-Type"] == "image/svg+xml"
    assert b"<svg" in answer.content and b"<script" not in answer.content
    assert answer["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize(("origin", "page"), [("gang", "gangs:builder"), ("sheet", "gangs:sheet")])
def test_stopping_to_share_returns_to_the_same_page(
    client: Client, alice: User, origin: str, page: str
) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    where, old, code = reverse("gangs:sharing", args=[gang.pk]), gang.share_key, gang.share_code
    answer = client.post(where, {"origin": origin, "stop": ""})
    assert answer["Location"] == f"{reverse(page, args=[gang.pk])}#sharing"
    stopped = Gang.objects.get(pk=gang.pk)
    assert stopped.share_key is None and stopped.share_code is None
    text = client.get(reverse(page, args=[gang.pk])).content.decode()
    assert "Only you can see this gang." in text and "share-link" not in text
    assert "short-code" not in text
    assert Client().get(reverse("gangs:shared-code", args=[old])).status_code == 404
    client.post(where, {"origin": origin})
    again = Gang.objects.get(pk=gang.pk)
    assert again.share_key not in (None, old) and again.share_code not in (None, code)


def test_reader_of_a_shared_sheet_cannot_share_it(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    text = client.get(reverse("gangs:shared", args=[gang.share_key])).content.decode()
    assert 'id="sharing"' not in text


@pytest.mark.parametrize("page", ["gangs:builder", "gangs:sheet"])
def test_code_and_the_page_for_typing_it_are_on_the_gang_s_pages(
    client: Client, alice: User, page: str
) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    text = client.get(reverse(page, args=[gang.pk])).content.decode()
    assert f'<strong class="short-code">{gang.code_written}</strong>' in text
    assert "a code to type at http://testserver/code/" in text


@pytest.mark.parametrize("page", ["gangs:list", "tonight"])
def test_list_of_gangs_links_to_the_page_for_typing_a_code(
    client: Client, alice: User, page: str
) -> None:
    client.force_login(alice)
    make_gang(alice)
    for reader, where in ((client, page), (Client(), "gangs:front")):
        assert 'href="/code/"' in reader.get(reverse(where)).content.decode()


def test_typed_code_opens_the_gang(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    Gang.objects.filter(pk=gang.pk).update(share_code="K7QM2XR0")
    sheet = reverse("gangs:shared", args=[gang.share_key])
    for typed in ("K7QM-2XR0", " k7qm 2xro", "K-7-Q-M-Z-X-R-O", "http://testserver/code/K7QM2XR0/"):
        answer = client.post("/code/", {"code": typed})
        assert (answer.status_code, answer.get("Location")) == (302, sheet), typed
    for address in ("K7QM2XR0", "k7qm-2xro"):
        assert client.get(f"/code/{address}/")["Location"] == sheet


@pytest.mark.parametrize("typed", ["K7QM-2XRD", "short", "K7QM-2XRD-K7QM", "<b>K7QM"])
def test_wrong_code_is_refused_beside_its_field(client: Client, alice: User, typed: str) -> None:
    make_gang(alice)
    answer = client.post("/code/", {"code": typed})
    assert answer.status_code == 422
    page = html.unescape(answer.content.decode())
    assert "Nothing is shared under this code." in page
    assert f'value="{typed}"' in page
    assert client.get("/code/K7QM2XRD/").status_code == 404


def test_code_is_invalid_when_sharing_was_stopped(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    Gang.objects.filter(pk=gang.pk).update(share_key=None)
    assert client.post("/code/", {"code": gang.share_code}).status_code == 422
    assert client.get(f"/code/{gang.share_code}/").status_code == 404


@pytest.mark.long
def test_guessing_of_codes_is_limited(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    for _turn in range(40):
        assert client.post("/code/", {"code": gang.share_code}).status_code == 302
        assert client.post("/code/", {"code": "no code at all"}).status_code == 422
    codes = [short_code() for _guess in range(32)]
    answers = [client.post("/code/", {"code": code}).status_code for code in codes[:15]]
    answers += [client.get(f"/code/{code}/").status_code for code in codes[15:]]
    assert answers == [422] * 15 + [404] * 15 + [429] * 2
    # Even a valid code is now refused, so a guesser learns nothing.
    refused = client.post("/code/", {"code": gang.share_code})
    assert refused.status_code == 429 and int(refused["Retry-After"]) > 0
    assert "Too many wrong codes" in refused.content.decode()
    assert client.get(f"/code/{gang.share_code}/").status_code == 429
    assert client.get(reverse("gangs:shared", args=[gang.share_key])).status_code == 200
    elsewhere = client.post("/code/", {"code": gang.share_code}, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 302


def test_exported_file_contains_no_code(alice: User, bob: User) -> None:
    gang = make_gang(alice)
    content = export_gang(gang)
    for secret in (gang.share_key, gang.share_code, gang.code_written):
        assert secret is not None and secret not in content
    copy = write_gang(gang.book_version, read_file(content.encode()), owner=bob)
    assert copy.share_code not in (None, gang.share_code)
    assert copy.share_key not in (None, gang.share_key)


def test_codes_have_plain_letters_and_survive_misreading() -> None:
    codes = {short_code() for _code in range(1000)}
    assert len(codes) == 1000
    for code in codes:
        assert re.fullmatch("[0-9ACDEFGHJKMNPQRTVWXY]{8}", code)
        assert short_codes.read_code(short_codes.write_code(code)) == code
    assert short_codes.read_code("OILZ sbu-0") == "01125 8V0".replace(" ", "")


def test_gang_and_member_are_copied_as_text(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    one, other, *_more = page_of(gang).cards
    address = reverse("gangs:text", args=[gang.pk])
    whole = client.get(address).content.decode()
    assert whole.count(one.shown_name) >= 2 and other.shown_name in whole
    assert f"http://testserver{reverse('gangs:shared', args=[gang.share_key])}" in whole
    single = client.get(address, {"member": one.id}).content.decode()
    assert one.shown_name in single and other.shown_name not in single
    for wrong in ("999", "x", ""):
        assert client.get(address, {"member": wrong}).status_code == 404
    shared = Client().get(reverse("gangs:shared-text", args=[gang.share_key]))
    assert other.shown_name in shared.content.decode() and shared["X-Robots-Tag"] == "noindex"

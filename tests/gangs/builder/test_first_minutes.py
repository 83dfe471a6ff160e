"""The first minutes of a visitor without an account: two pages to a legal gang of their own."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.builder.forms import RecruitForm
from gangs.engine import entries as kinds
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.ledger import writer
from gangs.models import Gang
from tests.gangs.rosters import ready_made
from tests.random_cases import one_soon
from tests.world.gangs import SLUGS, make_gang, make_version, played, shipped

pytestmark = pytest.mark.django_db


def text_of(client: Client, path: str) -> str:
    """Return a page's text as a reader sees it."""
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_front_page_leads_to_a_legal_gang_with_two_taps(client: Client, slug: str) -> None:
    make_version(slug)
    way = f"{reverse('gangs:new', args=[slug])}#ready-made"
    assert f'href="{way}"' in text_of(client, "/")
    page = text_of(client, way.partition("#")[0])
    ready = page.partition('id="ready-made"')[2]
    offered = re.findall(r'name="sample" value="([^"]+)"', ready)
    assert offered == [sample.key for sample in shipped(slug).samples]
    assert len(offered) >= 2
    for key in offered:
        response = client.post(way.partition("#")[0], {"sample": key, "token": f"once-{key}"})
        gang = Gang.objects.latest("created_at")
        assert response.headers["location"] == gang.get_absolute_url()
        assert [one for one in findings(gang.book, gang.roster) if one.severity == "error"] == []
        assert 'id="recruit"' in text_of(client, gang.get_absolute_url())


def test_first_steps_are_shown_until_a_member_is_recruited(client: Client) -> None:
    make_version("cran")
    client.post("/gangs/new/cran/", {"name": "The Tin Stars", "token": "t"})
    gang = Gang.objects.get()
    page = text_of(client, gang.get_absolute_url())
    assert "first-steps" in page and 'href="#recruit"' in page.partition("first-steps")[2]
    rank = shipped("cran").ranks[0].key
    client.post(
        f"{gang.get_absolute_url()}members/",
        {"rank": rank, "count": "1", "version": gang.version, "token": "u"},
    )
    assert Gang.objects.get().size == 1
    assert "first-steps" not in text_of(client, gang.get_absolute_url())


def test_first_steps_are_not_shown_when_all_members_are_dead(client: Client, alice: User) -> None:
    client.force_login(alice)
    gang = make_gang(alice, sample=0)
    left: list[Entry] = [played(gang.book)]
    left += [kinds.Died(member=member.id) for member in gang.roster.members]
    writer.append(gang, left, expected_version=gang.version, actor=alice)
    page = text_of(client, gang.get_absolute_url())
    assert "Nobody is left" in page and "first-steps" not in page


def test_front_page_lists_a_visitor_s_gangs(client: Client) -> None:
    make_version("cran")
    assert client.get("/gangs/").headers["location"].startswith("/accounts/login/")
    client.post("/gangs/new/cran/", {"name": "The Tin Stars", "token": "t"})
    assert client.get("/gangs/").headers["location"] == "/"
    assert "The Tin Stars" in text_of(client, "/")


@pytest.mark.parametrize("slug", SLUGS)
def test_proposed_rank_breaks_no_rule(slug: str) -> None:
    """Neither in an empty gang nor in a ready-made gang, as long as another rank is possible."""
    book = shipped(slug)
    empty = Roster(name="New", settings=book.default_settings())
    for roster in (empty, ready_made(book, book.samples[0])):
        computed = ComputedGang.of(book, roster)
        form = RecruitForm(computed)
        remarks = {offer.row.key: offer.caution for offer in offers.ranks(computed)}
        assert remarks[form.fields["rank"].initial] is None or all(remarks.values())

"""The first minutes of somebody without an account: two pages to a legal gang of their own."""

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
from tests.world.gangs import SLUGS, make_gang, make_version, played, shipped

pytestmark = pytest.mark.django_db


def text_of(client: Client, path: str) -> str:
    """A page as it is read."""
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("slug", SLUGS)
def test_two_taps_from_the_front_page_to_a_legal_gang(client: Client, slug: str) -> None:
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


def test_an_empty_gang_says_how_it_goes_on_and_one_of_somebody_no_more(client: Client) -> None:
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


def test_a_gang_of_the_past_is_no_beginner(client: Client, alice: User) -> None:
    client.force_login(alice)
    gang = make_gang(alice, sample=0)
    left: list[Entry] = [played(gang.book)]
    left += [kinds.Died(member=member.id) for member in gang.roster.members]
    writer.append(gang, left, expected_version=gang.version, actor=alice)
    page = text_of(client, gang.get_absolute_url())
    assert "Nobody is left" in page and "first-steps" not in page


def test_a_visitors_gangs_are_on_the_front_page(client: Client) -> None:
    make_version("cran")
    assert client.get("/gangs/").headers["location"].startswith("/accounts/login/")
    client.post("/gangs/new/cran/", {"name": "The Tin Stars", "token": "t"})
    assert client.get("/gangs/").headers["location"] == "/"
    assert "The Tin Stars" in text_of(client, "/")


@pytest.mark.parametrize("slug", SLUGS)
def test_nobody_is_proposed_whom_the_rules_would_frown_upon(slug: str) -> None:
    """Neither in an empty gang nor in a ready-made one, as long as there is anybody else."""
    book = shipped(slug)
    empty = Roster(name="New", settings=book.default_settings())
    for roster in (empty, ready_made(book, book.samples[0])):
        computed = ComputedGang.of(book, roster)
        form = RecruitForm(computed)
        remarks = {offer.row.key: offer.caution for offer in offers.ranks(computed)}
        assert remarks[form.fields["rank"].initial] is None or all(remarks.values())

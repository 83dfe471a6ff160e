"""The page with a club's rules for results that its rulebook does not have."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.engine.how import ClubResults
from campaigns.models import Campaign
from tests.world.campaigns import make_campaign
from tests.world.gangs import GOLD


@pytest.fixture
def url(campaign):
    return reverse("campaigns:result-rules", args=[campaign.pk])


def filled(page):
    """Return the page's form as a browser sends it."""
    form = page.context["form"]
    data = {"seen": page.context["campaign"].version}
    for field in form:
        value = field.value()
        if value not in (None, False, ""):
            data[field.html_name] = "on" if value is True else str(value)
    return data


def test_unchanged_form_stores_the_defaults(campaign, url, bob, as_user):
    browser = as_user(bob)
    assert browser.post(url, filled(browser.get(url))).status_code == 302
    assert Campaign.objects.get().special_results == {}


def test_form_shows_what_it_stored(campaign, url, bob, as_user):
    browser = as_user(bob)
    data = filled(browser.get(url))
    data |= {"no-show-winner_money": "7", "no-show-counts_loss": "on", "place_money": "9, 4"}
    assert browser.post(url, data).status_code == 302
    club = Campaign.objects.get().club_results
    assert club.results["no-show"].winner_money == 7 and club.results["no-show"].counts_loss
    assert "walk-over" not in club.results
    assert club.place_money == (9, 4)
    again = filled(browser.get(url))
    assert browser.post(url, again).status_code == 302
    assert Campaign.objects.get().club_results == club


@pytest.mark.parametrize(
    "values, words",
    [
        ({"place_money": "first"}, "Whole numbers"),
        ({"place_money": "-1"}, "each from 0"),
        ({"no-show-winner_money": "-3"}, "greater than or equal to 0"),
    ],
)
def test_impossible_values_are_refused_and_kept(campaign, url, bob, as_user, values, words):
    browser = as_user(bob)
    answer = browser.post(url, filled(browser.get(url)) | values)
    page = answer.content.decode()
    assert answer.status_code == 422 and words in page
    assert next(iter(values.values())) in page
    assert Campaign.objects.get().club_results == ClubResults()


def test_second_organiser_with_an_old_page_is_warned(campaign, url, bob, as_user):
    browser = as_user(bob)
    data = filled(browser.get(url))
    browser.post(url, data | {"no-show-winner_money": "7"})
    assert browser.post(url, data | {"no-show-winner_money": "8"}).status_code == 409
    assert Campaign.objects.get().club_results.results["no-show"].winner_money == 7


def test_points_are_asked_for_only_where_the_rulebook_counts_them(campaign, bob, as_user):
    counting = make_campaign(bob, "zombstone")
    for one in (campaign, counting):
        page = as_user(bob).get(reverse("campaigns:result-rules", args=[one.pk]))
        names = {field.name for field in page.context["form"]}
        has_points = one.book.campaign.points_name is not None
        assert ("no-show-winner_points" in names) == has_points == (one.book.slug != GOLD)

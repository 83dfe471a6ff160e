"""The checklist of a new gang on its page: the remaining tasks, and the button for each."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.gangs.builder.test_changes import Player
from tests.world.gangs import make_gang

DICE = "cran"


def started(client: Client, alice: User, slug: str = "blackwater-gulch") -> Player:
    client.force_login(alice)
    return Player(client, make_gang(alice, slug, sample=None))


def shown(player: Player, query: str = "") -> str:
    return player.client.get(f"{player.gang.get_absolute_url()}{query}").content.decode()


def section(page: str, name: str) -> str:
    """Return a part of the page by its id, as text."""
    part = page.split(f'id="{name}"')[1].split("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", part).split())


def test_archetypes_make_a_legal_gang_with_one_press_for_each_member(
    client: Client, alice: User
) -> None:
    player = started(client, alice)
    for archetype in ("two_guns", "hunter", "rifle", "rifle", "pick"):
        assert player.press("members/", archetype=archetype).status_code == 302
    roster = player.roster()
    assert [one.rank for one in roster.members] == [
        "leader",
        "professional",
        *("henchman",) * 3,
    ]
    assert [len(one.items) for one in roster.members] == [3, 3, 2, 2, 2]
    findings = section(shown(player), "findings")
    assert "1 to do" in findings and "Names 0/5" in findings
    assert "Error" not in findings


def test_unavailable_archetype_is_refused_in_words(client: Client, alice: User) -> None:
    player = started(client, alice)
    player.press("members/", archetype="two_guns")
    for wrong in ("two_guns", "nobody", ""):
        answer = player.press("members/", archetype=wrong)
        assert answer.status_code == 422
        assert "alert-danger" in answer.content.decode()
    assert len(player.roster().members) == 1


def test_all_points_are_spread_and_undone_in_one_step(client: Client, alice: User) -> None:
    player = started(client, alice)
    player.press("members/", rank="leader")
    player.press("members/", rank="henchman", count="2")
    assert "Attribute points 0/40" in section(shown(player), "findings")
    player.press("members/points/")
    spread = [sum(one.points.values()) for one in player.roster().members]
    assert spread == [20, 10, 10]
    assert player.press("members/points/").status_code == 422
    player.press("undo/")
    assert [sum(one.points.values()) for one in player.roster().members] == [0, 0, 0]


@pytest.mark.long
def test_bar_has_a_button_for_the_next_task(client: Client, alice: User) -> None:
    player = started(client, alice, DICE)
    assert "Recruit a veteran" in section(shown(player), "summary")
    player.press("members/", rank="veteran", name="Ada")
    player.press("members/", rank="novice", count="5")
    page = shown(player)
    assert "Make one of them the boss" in section(page, "summary")
    ada = player.roster().members[0].id
    form = page.split('id="summary"')[1].split("Make one of them the boss")[0].rsplit("<form", 1)[1]
    assert f"/members/{ada}/traits/" in form and 'name="take" value="boss"' in form
    player.press(f"members/{ada}/traits/", take="boss")
    assert "Make one of them the boss" not in shown(player)


def test_missing_rank_is_preselected(client: Client, alice: User) -> None:
    player = started(client, alice)
    for rank in ("henchman", "professional", "leader"):
        page = shown(player, f"?rank={rank}")
        (checked,) = re.findall(r'<input[^>]*name="rank"[^>]*checked[^>]*>', page)
        assert f'value="{rank}"' in checked
    assert shown(player, "?rank=nobody").count("checked") == 1


def test_new_gang_shows_no_error_before_a_mistake(client: Client, alice: User) -> None:
    player = started(client, alice)
    player.press("members/", rank="leader")
    assert "finding-error" not in shown(player) and "has-error" not in shown(player)
    player.press("members/", rank="leader")
    page = shown(player)
    assert section(page, "findings").count("exactly one leader") == 1
    assert "finding-error" in page


def test_each_task_is_on_a_card_once(
    client: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    player = started(client, alice)
    player.press("members/", rank="leader")
    (leader,) = (one.id for one in player.roster().members)
    for query in ("", f"?open={leader}"):
        with django_assert_max_num_queries(8):
            page = shown(player, query)
        card = page.split(f'id="member-{leader}"')[1].split("</article>")[0]
        assert card.count("Choose a profession") == 1

"""The page "Odds": its form, its answers, and the readers who see a gang's figures."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import load
from rules.odds import chances, views
from tests.random_cases import one_soon
from tests.rules.odds.games import game
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import POINTS, become_guest, make_gang, make_version, shipped

ADDRESS = f"/rules/{POINTS}/odds/"
SHOT = f"{ADDRESS}?roll-key=shot&by-item=derringer"
SMALL = "/rules/small/odds/"
HTMX = {"HX-Request": "true"}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute everything, even on a slow machine."""
    monkeypatch.setattr(chances, "PATIENCE", 60)


@pytest.fixture(autouse=True)
def versions(db: None) -> str:
    """Load two rulebooks, one with every kind of input; return the digest of the first."""
    load(game())
    return make_version().digest


def page_at(client: Client, address: str, status: int = 200, language: str = "en") -> str:
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == status, address
    return unescape(response.content.decode())


def leads(page: str) -> list[tuple[str, str]]:
    """Return the headline of the page: outcomes with their chances."""
    said = re.search(r'odds-leads".*?</dl>', page, re.S)
    return re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", said[0]) if said else []


def table(page: str, caption: str) -> dict[str, str]:
    """Return the lines of a result table, each with its last cell."""
    found = re.search(rf"<caption>{caption}.*?</table>", page, re.S)
    lines = re.findall(r"<tr.*?</tr>", found[0], re.S) if found else []
    cells = [
        re.findall(r"<t[hd][^>]*>(?:\s*<svg.*?</svg>)?(.*?)</t[hd]>", one, re.S) for one in lines
    ]
    return {one[0].strip(): one[-1].strip() for one in cells}


def choices(page: str, name: str) -> list[str]:
    """Return the keys that a list offers."""
    found = re.search(rf'<select[^>]* name="{name}".*?</select>', page, re.S)
    return re.findall(r'<option value="(.*?)"', found[0]) if found else []


def chosen(page: str, name: str) -> str | None:
    """Return the key that is selected in a list."""
    found = re.search(rf'<select[^>]* name="{name}".*?</select>', page, re.S)
    key = re.search(r'<option value="([^"]*)" selected', found[0]) if found else None
    return key[1] if key else None


# Answers --------------------------------------------------------------------------------------


def test_the_page_shows_the_odds_of_a_shot(client: Client) -> None:
    """One die at 4 hits, one die at 3 saves: a half times a third."""
    page = page_at(client, SHOT)
    assert leads(page) == [("Out of action", "1 in 6 (17%)")]
    assert table(page, "Outcomes") == {"Missed": "50%", "Saved": "33%", "Out of action": "17%"}
    assert table(page, "HP lost") == {"at least 1": "17%"}
    assert table(page, "What would change it")["Range: Long"] == "11%"
    assert "On average:" in page and "HP lost 0.17" in page
    weapons = table(page, "Weapons against this target")
    values = [float(value.strip("%< >")) for value in weapons.values()]
    assert values == sorted(values, reverse=True) and weapons["Derringer"] == "17%"


def test_typed_characteristics_change_the_odds(client: Client) -> None:
    """Three dice at 4 against two at 3, two points to lose: (3·1 + 1·5) / 72 is a ninth. The third
    hit of 1 in 72 throws has no point left to take from the average of a half."""
    page = page_at(client, f"{SHOT}&by-is-rc=3&at-is-dp=2&at-is-hp=2")
    assert leads(page) == [("Out of action", "1 in 9 (11%)"), ("HP lost on average", "0.49")]
    assert leads(page_at(client, f"{SHOT}&by-is-rc=3&at-is-dp=2&at-life=2")) == leads(page)


def ticked(page: str, name: str) -> list[str]:
    """Return the values of the tick boxes."""
    return re.findall(rf'<input type="checkbox" name="{name}" value="([^"]*)"', page)


@pytest.mark.long
def test_both_sides_can_have_conditions(client: Client) -> None:
    page = page_at(client, f"{SHOT}&by-rank=leader")
    conditions = ["weak_str", "weak_qui", "weak_sta", "weak_int", "weak_mc", "weak_rc"]
    for side in ("by", "at"):
        assert ticked(page, f"{side}-condition") == conditions
    rc = re.search(r'name="by-is-rc"[^>]*placeholder="(\d+)"', page)
    weak = page_at(client, f"{SHOT}&by-rank=leader&by-condition=weak_rc")
    assert rc and f'placeholder="{int(rc[1]) - 1}"' in weak
    assert leads(weak) == leads(page_at(client, f"{SHOT}&by-rank=leader&by-is-rc={int(rc[1]) - 1}"))
    assert leads(weak) != leads(page)


def test_the_page_shows_the_odds_of_another_game(client: Client) -> None:
    """Three dice at 4, and the armour takes one hit off: all three must hit."""
    page = page_at(client, f"{SMALL}?by-rank=fighter&at-rank=fighter")
    assert chosen(page, "roll-key") == "attack"
    assert leads(page) == [("Felled", "1 in 8 (13%)")]
    assert leads(page_at(client, f"{SMALL}?by-rank=fighter&by-item=axe")) == [
        ("Felled", "5 in 16 (31%)")
    ]
    assert table(page, "What would change it")["Luck"] == "31%"
    # A side is in a state, which changes its profile.
    asleep = page_at(client, f"{SMALL}?by-rank=fighter&at-rank=fighter&at-state=asleep")
    assert leads(asleep) == [("Felled", "8 in 27 (30%)")]
    assert table(asleep, "What would change it")["Not: Asleep (target)"] == "13%"


def test_the_page_starts_with_the_attack_of_most_weapons(client: Client) -> None:
    assert chosen(page_at(client, ADDRESS), "roll-key") == "shot"
    # Two swords; for a member with guns and a knife, the guns.
    assert chosen(page_at(client, f"{ADDRESS}?by-who=sample.harrow-claim.1"), "roll-key") == "blow"
    assert chosen(page_at(client, f"{ADDRESS}?by-who=sample.dry-fork.1"), "roll-key") == "shot"


def test_the_page_shows_rolls_without_a_target_or_a_figure(client: Client) -> None:
    morale = page_at(client, f"{SMALL}?roll-key=morale&is-gang-lost=2")
    assert leads(morale) == [("Holds", "5 in 6 (83%)")]
    assert table(morale, "What would change it") == {
        "Members lost: 3": "92%",
        "Members lost: 1": "72%",
    }
    assert choices(morale, "by-who") == []
    poker = page_at(client, f"{SMALL}?roll-key=poker")
    assert leads(poker)[0][0] == "Rank on average"
    assert "Re-rolls keep the best combination." in poker


def test_states_of_weapons_and_sides_are_tick_boxes(client: Client) -> None:
    fighters = f"{SMALL}?by-rank=fighter&by-item=axe&at-rank=fighter"
    page = page_at(client, f"{fighters}&is-item-in_state-blunt=1")
    assert "Weapon: Blunt" in page
    assert leads(page) == [("Felled", "1 in 8 (13%)")]
    routed = page_at(client, f"{SMALL}?roll-key=morale&is-gang-in_state-routed=1")
    assert "Your side: Routed" in routed
    assert leads(routed) == [("Holds", "5 in 12 (42%)")]


def test_the_page_is_available_in_french(client: Client) -> None:
    page = page_at(client, SHOT, language="fr")
    assert leads(page) == [("Hors de combat", "1 sur 6 (17\N{NO-BREAK SPACE}%)")]
    differences = table(page, "Ce qui changerait le résultat")
    assert differences["Portée\N{NO-BREAK SPACE}: Longue"] == "11\N{NO-BREAK SPACE}%"
    assert "PS perdus 0,17" in page


def test_the_page_says_so_when_a_game_declares_no_rolls(client: Client) -> None:
    load(game(rolls=[], modifiers=[], spends=[], circumstances=[], hands=[]))
    page = page_at(client, SMALL)
    assert "These rules do not say how their dice are rolled." in page
    assert f'href="{SMALL}"' not in page_at(client, "/rules/small/")


# The form -------------------------------------------------------------------------------------


def test_the_rules_link_to_the_odds(client: Client, versions: str) -> None:
    overview = page_at(client, f"/rules/{POINTS}/")
    assert overview.count(f'href="{ADDRESS}"') == 2
    assert f'href="{ADDRESS}?roll-key=shot"' in overview
    older = page_at(client, f"/rules/version/{versions}/odds/?roll-key=shot&by-item=derringer")
    assert leads(older) == [("Out of action", "1 in 6 (17%)")]
    assert f'action="/rules/version/{versions}/odds/"' in older


def test_the_form_asks_only_for_inputs_that_the_roll_reads(client: Client) -> None:
    page = page_at(client, f"{SMALL}?roll-key=attack")
    assert 'name="is-cover"' in page and 'name="is-gang-lost"' not in page
    assert choices(page, "by-item") == ["sword", "axe", "bow"]
    assert 'name="at-item"' not in page
    assert 'value="asleep"' not in page[: page.index('name="at-who"')]
    morale = page_at(client, f"{SMALL}?roll-key=morale")
    assert 'name="is-cover"' not in morale and 'name="is-gang-lost"' in morale


def test_an_htmx_request_gets_the_result_part_and_a_short_address(client: Client) -> None:
    asked = f"{ADDRESS}?roll-key=shot&by-who=hand&by-is-rc=&at-is-dp=2&is-range=long&by-item="
    response = client.get(asked, headers=HTMX)
    part = response.content.decode()
    assert part.lstrip().startswith('<div id="odds"')
    short = response["HX-Replace-Url"]
    assert short == f"{ADDRESS}?roll-key=shot&by-item=derringer&at-is-dp=2&is-range=long"
    assert f'href="{short}"' in unescape(part)
    assert leads(page_at(client, short)) == leads(unescape(part))
    more = client.get(asked, headers={**HTMX, "HX-Target": "odds-result"})
    assert "HX-Replace-Url" not in more


@pytest.mark.parametrize(
    ("query", "words"),
    one_soon(
        [
            ("roll-key=nonsense", "That choice does not exist."),
            ("by-who=nonsense", "This figure does not exist here, or you may not see it."),
            (
                "by-who=sample.dry-fork.99",
                "This figure does not exist here, or you may not see it.",
            ),
            ("by-who=gang.x.y", "This figure does not exist here, or you may not see it."),
            (f"by-who={'gang.' * 500}", "This figure does not exist here, or you may not see it."),
            ("by-rank=king", "That choice does not exist."),
            ("by-trait=nonsense", "That choice does not exist."),
            ("by-item=horse", "That weapon does not fit this roll."),
            ("by-is-rc=much", "Enter a whole number."),
            ("by-is-rc=99", "Ensure this value is less than or equal to 6."),
            (f"by-is-rc={'9' * 6000}", "Enter a whole number."),
            ("at-life=-1", "Ensure this value is greater than or equal to 0."),
            ("at-state=nonsense", "That choice does not exist."),
            ("is-range=far", "That choice does not exist."),
            ("is-others=a", "Enter a whole number."),
        ]
    ),
)
def test_a_bad_value_gets_an_error_beside_its_field(client: Client, query: str, words: str) -> None:
    page = page_at(client, f"{ADDRESS}?roll-key=shot&{query}", 422)
    assert f">{words}<" in page
    assert "Correct the marked fields to see the odds." in page
    assert leads(page) == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("by-is-quality=many", "Write it like 3k2."),
        (f"by-is-quality={'3' * 31}", "Ensure this value has at most 30 characters (it has 31)."),
        ("by-is-grit=d12", "That choice does not exist."),
        ("is-cover=3", "Ensure this value is less than or equal to 2."),
    ],
)
def test_characteristics_are_read_in_the_form_of_their_rulebook(
    client: Client, query: str, words: str
) -> None:
    assert f">{words}<" in page_at(client, f"{SMALL}?roll-key=attack&{query}", 422)
    page_at(client, f"{SMALL}?roll-key=attack&by-is-quality=4K2&by-is-nerve=2/1&by-is-ammo=wr")


def test_too_many_dice_are_refused_in_words(client: Client) -> None:
    assert "These odds cannot be worked out." in page_at(client, f"{SHOT}&at-is-dp=99")


# Gangs' figures --------------------------------------------------------------------------------


def test_a_member_of_a_sample_gang_brings_their_items(client: Client) -> None:
    book = shipped(POINTS)
    sample = book.samples[0]
    page = page_at(client, f"{ADDRESS}?roll-key=shot&by-who=sample.{sample.key}.0")
    assert f"sample.{sample.key}.{len(sample.members) - 1}" in choices(page, "by-who")
    own = [key for key in sample.members[0].items if key in choices(page, "by-item")]
    assert own and chosen(page, "by-item") == own[0]
    assert 'name="by-rank"' not in page and 'name="at-rank"' in page


def armed(owner: User | None) -> Gang:
    """Return a gang with a member who has a custom rifle."""
    entries = [
        kinds.Founded(name="Makers", settings=shipped(POINTS).default_settings()),
        kinds.Recruited(rank="henchman", name="Ann"),
        kinds.ItemDeclared(
            name="Thunder", group="longarm", price=3, level=1, hands=2, columns={"strength": "6"}
        ),
        kinds.Bought(item="own-3", member=2),
        kinds.Bought(item="derringer", member=2),
    ]
    return writer.found(make_version(), entries, owner=owner)


@pytest.mark.parametrize("visitor", [False, True])
def test_a_member_of_the_readers_gang_brings_custom_weapons(
    client: Client, alice: User, visitor: bool
) -> None:
    gang = armed(None if visitor else alice)
    if visitor:
        become_guest(client, gang)
    else:
        client.force_login(alice)
    who = f"gang.{gang.pk}.2"
    page = page_at(client, f"{ADDRESS}?roll-key=shot&by-who={who}")
    assert who in choices(page, "by-who") and who in choices(page, "at-who")
    # A die at 4 with a re-roll, against a save at 6: 3/4 × 5/6.
    assert leads(page) == [("Out of action", "5 in 8 (63%)")]
    assert table(page, "Weapons against this target") == {"Thunder": "63%", "Derringer": "17%"}


def test_a_gang_is_hidden_from_strangers(
    client: Client, alice: User, bob: User, charlie: User
) -> None:
    gang = make_player(make_campaign(bob, POINTS), alice)
    who = f"gang.{gang.pk}.{gang.roster.members[0].id}"
    for reader, status in ((alice, 200), (bob, 200), (charlie, 422), (None, 422)):
        client.logout()
        if reader is not None:
            client.force_login(reader)
        page = page_at(client, f"{ADDRESS}?roll-key=shot&by-who={who}", status)
        assert (chosen(page, "by-who") == who) == (status == 200)
        # A reader of the gang may choose its members on either side.
        assert (who in choices(page, "at-who")) == (status == 200)


@pytest.mark.long
def test_a_gang_of_another_rulebook_version_is_not_offered(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    other = load(shipped(POINTS).changed(edition="another"))[0]
    assert f"gang.{gang.pk}" not in page_at(client, f"/rules/version/{other.digest}/odds/")
    who = f"gang.{gang.pk}.{gang.roster.members[0].id}"
    page_at(client, f"/rules/version/{other.digest}/odds/?by-who={who}", 422)
    card = client.get(f"{gang.get_absolute_url()}?open={gang.roster.members[0].id}")
    link = f"/rules/version/{gang.book_version_id}/odds/?by-who={who}"
    assert f'href="{link}"' in card.content.decode()
    assert leads(page_at(client, link))


def test_a_sheet_links_to_the_odds_of_its_members(client: Client, alice: User) -> None:
    """The owner and readers of the shared link get the links, while the gang is shared."""
    gang = make_gang(alice)
    gang.share_key = "thelink"
    gang.save(update_fields=["share_key"])
    one, other = gang.roster.members[:2]
    base = f"/rules/version/{gang.book_version_id}/odds/"
    link = f"{base}?by-who=shared.thelink.{one.id}"
    assert f'href="{link}"' in client.get("/s/thelink/").content.decode()
    page = page_at(client, f"{link}&at-who=shared.thelink.{other.id}")
    for side in ("by", "at"):
        shown = choices(page, f"{side}-who")
        assert [who for who in shown if who.startswith("shared.")] == [
            f"shared.thelink.{member.id}" for member in gang.roster.members
        ]
    client.force_login(alice)
    sheet = client.get(f"{gang.get_absolute_url()}sheet/").content.decode()
    assert f'href="{base}?by-who=gang.{gang.pk}.{one.id}"' in sheet
    client.logout()
    gang.share_key = None
    gang.save(update_fields=["share_key"])
    page_at(client, link, 422)


def armed_by_themselves(alice: User, **declared: object) -> Gang:
    """Return a gang with a custom item that its first member carries."""
    gang = make_gang(alice)
    one = gang.roster.members[0]
    own = kinds.ItemDeclared.model_validate({"price": 0, **declared})
    writer.append(gang, [own], expected_version=gang.version, actor=alice)
    gang = Gang.objects.get(pk=gang.pk)
    bought = kinds.Bought(item=gang.roster.own_items[0].key, member=one.id)
    writer.append(gang, [bought], expected_version=gang.version, actor=alice)
    return Gang.objects.get(pk=gang.pk)


@pytest.mark.long
def test_a_custom_weapon_is_read_like_a_weapon_of_the_rulebook(client: Client, alice: User) -> None:
    """A column can name the bearer's characteristic by the rulebook's word, label or name."""
    client.force_login(alice)
    seen = set()
    for written in ("M+1", "Str +1", "strength+1"):
        gang = armed_by_themselves(
            alice, name="Ball and chain", group="melee_one", columns={"strength": written}
        )
        who = f"gang.{gang.pk}.{gang.roster.members[0].id}"
        item = f"{gang.roster.own_items[0].key}-{gang.pk.hex[:8]}"
        page = page_at(client, f"{ADDRESS}?roll-key=blow&by-who={who}&by-item={item}")
        assert chosen(page, "by-item") == item and "cannot be read" not in page
        seen.add(tuple(leads(page)))
    assert len(seen) == 1
    gang = armed_by_themselves(
        alice, name="Chain", group="melee_one", columns={"strength": "rather strong"}
    )
    who = f"gang.{gang.pk}.{gang.roster.members[0].id}"
    item = f"{gang.roster.own_items[0].key}-{gang.pk.hex[:8]}"
    page = page_at(client, f"{ADDRESS}?roll-key=blow&by-who={who}&by-item={item}")
    assert "Chain: “rather strong” (Str) cannot be read and is ignored." in page
    assert leads(page) != [*seen][0]


def test_custom_items_of_two_gangs_stay_separate(client: Client, alice: User) -> None:
    client.force_login(alice)
    first, second = (
        armed_by_themselves(alice, name=name, group="melee_one", columns={"strength": "9"})
        for name in ("Anvil", "Feather")
    )
    assert first.roster.own_items[0].key == second.roster.own_items[0].key
    one, other = (f"gang.{gang.pk}.{gang.roster.members[0].id}" for gang in (first, second))
    page = page_at(client, f"{ADDRESS}?roll-key=blow&by-who={one}&at-who={other}")
    assert "Anvil" in page and "Feather" in page


@pytest.mark.long
def test_a_page_takes_few_queries(client: Client, alice: User) -> None:
    client.force_login(alice)
    counts = []
    for _ in range(2):
        gang = make_gang(alice)
        address = f"{SHOT}&by-who=gang.{gang.pk}.{gang.roster.members[0].id}"
        page_at(client, address)
        with CaptureQueriesContext(connection) as queries:
            page_at(client, address)
        counts.append(len(queries))
    # Session, user, the newest version, the reader's gangs, the figure's gang.
    assert counts == [5, 5]


def test_slow_comparisons_are_shown_on_request(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chances, "PATIENCE", -1)
    page = page_at(client, SHOT)
    assert leads(page) == [("Out of action", "1 in 6 (17%)")]
    assert "Show more comparisons" in page and 'hx-trigger="load"' in page
    monkeypatch.setattr(views, "MORE_PATIENCE", -1)
    more = client.get(SHOT, headers={**HTMX, "HX-Target": "odds-result"}).content.decode()
    assert "Show more comparisons" in more and 'hx-trigger="load"' not in more
    monkeypatch.setattr(chances, "PATIENCE", 60)
    assert "Show more comparisons" not in page_at(client, SHOT)


@pytest.mark.long
def test_the_page_answers_every_roll_of_every_game(client: Client) -> None:
    """The request names no figure; the page explains when a chosen figure cannot make the roll."""
    for slug, book in ((POINTS, shipped(POINTS)), ("small", game())):
        for roll in book.rolls:
            assert leads(page_at(client, f"/rules/{slug}/odds/?roll-key={roll.key}"))
    revive = f"{ADDRESS}?roll-key=revive"
    assert chosen(page_at(client, revive), "by-profession") == "doctor"
    for other in ("", "gambler"):
        page = page_at(client, f"{revive}&by-profession={other}")
        assert chosen(page, "by-profession") == other
        assert "This roll is not possible like this" in page
        assert f"by-profession={other}" in page, "the link makes the same request"

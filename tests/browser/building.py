"""Steps in the builder and for prints, as a player takes them."""

from __future__ import annotations

from playwright.sync_api import APIResponse, Locator, expect

from tests.browser.person import Person

WEST, GOLD = "Blackwater Gulch", "Du sang sur la lame"


def found(person: Person, game: str, name: str) -> None:
    """Found a gang of this game from the front page."""
    person.open("/")
    person.page.get_by_role("link", name=game).first.click()
    person.fill("Name of the gang", name)
    person.press("Create gang")
    expect(person.page.locator("h1")).to_have_text(name)


def take_sample(person: Person, slug: str, number: int = 0) -> None:
    """Take a ready-made crew."""
    person.open(f"/gangs/new/{slug}/")
    person.page.locator("button[name=sample]").nth(number).click()
    expect(person.page.locator("#summary")).to_be_visible()


def recruit(person: Person, rank: str, name: str = "", count: int = 1) -> None:
    """Recruit through the panel."""
    panel = person.page.locator("#recruiting")
    panel.get_by_label(rank, exact=False).check()
    panel.get_by_label("Name").fill(name)
    panel.get_by_label("How many").fill(str(count))
    person.press("Recruit", panel)


def card(person: Person, name: str) -> Locator:
    """The card of a member."""
    return person.page.locator("article.card-member").filter(
        has=person.page.get_by_role("heading", name=name, exact=True)
    )


def unfold(person: Person, name: str) -> Locator:
    """Open a member's card."""
    found = card(person, name)
    person.follow("Edit", found, exact=False)
    expect(found).to_contain_class("is-open")
    return found


def summary(person: Person, **wanted: str) -> None:
    """Return the summary bar's figures: rating, left, size, and the count of findings."""
    for part, text in wanted.items():
        value = person.page.locator(f"#summary #{part}")
        expect(value).to_have_text(text)


def patiently(person: Person, answer: APIResponse) -> bytes:
    """Return the finished print: fetch the address again as its waiting page would."""
    for _ in range(240):
        assert answer.ok, f"{answer.status} from {answer.url}"
        if answer.headers["content-type"] == "application/pdf":
            return answer.body()
        assert "Printing" in answer.text()
        person.page.wait_for_timeout(500)
        answer = person.context.request.get(answer.url)
    raise AssertionError(f"the press never answers: {answer.url}")

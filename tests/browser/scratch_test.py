import os, pathlib
import pytest
from urllib.parse import urlencode
from django.urls import reverse
from accounts.models import User
from campaigns.table import people, storage
from campaigns.table.taps import Out, TurnEnded, PhaseBegan
from tests.browser.test_table import sit_down
from tests.browser.test_attempts import open_shot
from tests.campaigns.table.attempts.test_choices import starts
from tests.campaigns.table.test_storage import pushed
from tests.world.gangs import SLUGS

pytestmark = pytest.mark.browser
OUT = pathlib.Path(os.environ["SHOTS"])
OUT.mkdir(exist_ok=True, parents=True)


@pytest.mark.parametrize("slug", os.environ.get("GAMES", " ".join(SLUGS)).split())
def test_shots(invite, slug):
    evening = sit_down(invite, slug)
    page = evening.alice.person.page

    def snap(name, **k):
        page.screenshot(path=OUT / f"{slug}-{name}.png", caret="initial", animations="allow", **k)

    for lang in ("en", "fr"):
        User.objects.update(language=lang)
        for w, h in ((320, 568), (375, 667)):
            page.set_viewport_size({"width": w, "height": h})
            page.goto(evening.table.get_absolute_url())
            page.wait_for_selector("#table.is-live")
            snap(f"table-{lang}-{w}")
            print(
                slug,
                lang,
                w,
                page.evaluate(
                    """() => [...document.querySelectorAll('.table-steps .btn')].filter(e => e.checkVisibility()).map(e => [e.innerText, e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight])"""
                ),
                page.evaluate(
                    "document.getElementById('table-due').getBoundingClientRect().height"
                ),
            )
    # most out
    rows = [pushed(Out(figure=key)) for key in evening.of(2)[1:]] + [
        pushed(Out(figure=evening.of(1)[0]))
    ]
    storage.push(evening.table, None, rows)
    storage.push(evening.table, None, [pushed(TurnEnded())])
    for lang in ("en", "fr"):
        User.objects.update(language=lang)
        for w, h in ((320, 568), (375, 667)):
            page.set_viewport_size({"width": w, "height": h})
            page.goto(evening.table.get_absolute_url())
            page.wait_for_selector("#table.is-live")
            snap(f"due-{lang}-{w}")
            print(
                slug,
                lang,
                w,
                page.evaluate(
                    """() => [...document.querySelectorAll('.table-steps .btn')].filter(e => e.checkVisibility()).map(e => [e.innerText, e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight])"""
                ),
                page.evaluate(
                    "document.getElementById('table-due').getBoundingClientRect().height"
                ),
            )
    User.objects.update(language="en")
    page.set_viewport_size({"width": 375, "height": 667})
    page.goto(evening.table.get_absolute_url())
    page.wait_for_selector("#table.is-live")
    for size in ("150%", "200%"):
        page.evaluate("s => { document.documentElement.style.fontSize = s }", size)
        snap(f"big-{size[:3]}")
        print(slug, size, page.evaluate("document.documentElement.scrollWidth"))
    shot = open_shot(evening.alice.person, evening)
    snap("shot")
    print(
        page.evaluate("""() => { const foot = document.querySelector(".attempt-go").getBoundingClientRect().top;
    const fields = [...document.querySelectorAll("#attempt article :is(select, input)")].filter((field) => field.checkVisibility());
    return foot - Math.max(...fields.map(f => f.getBoundingClientRect().bottom)) }""")
    )
    page.locator("#attempt button[value=tell]").click()
    page.wait_for_selector(".attempt-box")
    page.wait_for_timeout(300)
    snap("typed")
    print(
        page.evaluate(
            """() => [document.activeElement.name, scrollY, document.querySelector('.attempt-boxes').getBoundingClientRect().top, innerHeight]"""
        )
    )

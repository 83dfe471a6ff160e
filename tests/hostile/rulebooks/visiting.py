"""A variant's way through the site: imported, opened, published, its odds requested, played.

Its author does everything that an account may do with a variant of its own. Every answer is judged
as in the attack; a late answer is a failure, and the code that still runs then is named.
"""

from __future__ import annotations

import http.client
import re
import time
from dataclasses import replace
from random import Random
from urllib.parse import urlencode, urljoin, urlsplit

from accounts.models import User
from tests.hostile import club, forms
from tests.hostile.browser import Browser
from tests.hostile.forms import Form
from tests.hostile.judge import Judge, is_print, summary
from tests.hostile.requests import Answer, Request, Upload, send
from tests.hostile.rulebooks.drawing import Drawn
from tests.hostile.rulebooks.findings import Findings, Tried
from tests.hostile.rulebooks.season import postgame_of
from tests.hostile.site import Site

IMPORT = "/editor/import/"
# The number of pages of one kind to open, and the number of odds to request.
MOST_PAGES, MOST_ODDS, MOST_PRESSED = 6, 6, 5
DIGEST = re.compile(r"version=([0-9a-f]{64})")
# A server that computes this many seconds without a request has a fault. Other programs may keep
# the machine busy, so it is given time.
BUSY, LOOKS = 0.5, 20
# A word that no rulebook contains.
MARK = "nothing is marked by this"


class Stopped(Exception):
    """Raised when no answer came: there is no use in continuing with this variant."""


class Visit:
    """One variant's visit. ``patience``: the seconds until an answer is given up."""

    def __init__(
        self, site: Site, judge: Judge, findings: Findings, drawn: Drawn, patience: float
    ) -> None:
        self.site, self.judge, self.findings, self.drawn = site, judge, findings, drawn
        self.patience = patience
        self.dice = Random(f"visit {drawn.number} {drawn.shape}")
        self.tried: Tried = findings.take(drawn)
        name = f"author-{drawn.number}-{self.dice.getrandbits(32):x}"
        self.user = User.objects.create(username=name, email=f"{name}@example.org")
        self.browser = Browser("owner", self.send, self.dice, lambda: club.signed_in(self.user))
        self.stage = "refused"

    def run(self) -> None:
        """Go as far as the site lets the variant come."""
        try:
            if variant := self._import():
                self.stage = "draft"
                self._open(variant)
                if digest := self._publish(variant):
                    self.stage = "published"
                    self._read(digest)
                    self._ask(digest)
                    self._play(digest)
        except Stopped:
            pass
        finally:
            self.findings.end(self.tried, self.stage)

    # Sending

    def send(self, request: Request, cookies: dict[str, str]) -> Answer | None:
        """Send a request and judge the answer. Raises Stopped if none comes."""
        address = ".".join(str(self.dice.randrange(1, 255)) for _ in range(4))
        request = replace(request, headers=(*request.headers, ("X-Forwarded-For", address)))
        self.tried.requests += 1
        sent = (request, dict(cookies))
        self.judge.flying[id(sent)] = sent
        begun = time.monotonic()
        try:
            answer = send(self.site.port, request, cookies, timeout=self.patience)
        except (OSError, http.client.HTTPException) as broken:
            self._slowest(time.monotonic() - begun, request)
            self._fail("no answer", f"{repr(broken)[:100]}{self._still_running()}", request)
            raise Stopped from broken
        finally:
            del self.judge.flying[id(sent)]
        self.judge.recent.append(sent)
        self.judge.count(request, answer)
        if not is_print(request.path):
            self._slowest(answer.seconds - answer.delayed, request)
        wrong = self.judge.wrong(request, answer, MARK)
        if wrong is None and self.judge.is_slow(answer) and not is_print(request.path):
            wrong = "slow", f"{answer.seconds:.1f} s by the clock"
        if wrong is not None:
            self._fail(*wrong, request)
        return answer

    def _slowest(self, seconds: float, request: Request) -> None:
        if seconds > self.tried.slowest:
            self.tried.slowest = seconds
            path = re.sub(r"[0-9a-f]{64}|[0-9a-f-]{36}", "…", request.path)
            self.tried.where = f"{request.method} {path[:60]}"

    def _fail(self, kind: str, detail: str, request: Request) -> None:
        kept = self.findings.keep(self.drawn)
        detail = f"{self.drawn.shape} on {self.drawn.on.slug}: {detail} [{kept.name}]"
        self.judge.fail(f"{kind} for a variant", detail, [request], {})

    def _still_running(self) -> str:
        """Return the fault of a server that did not answer: whether it still computes for nobody.
        It is then restarted for the next variant.
        """
        before = self.site.computed()
        for _ in range(LOOKS):
            time.sleep(1)
            if self.site.computed() - before > BUSY:
                break
        else:
            return ""
        where = self.site.busy_in()
        self.site.restart()
        return f", and the server went on computing for nobody at {where}"

    # Variants

    def _import(self) -> str:
        """Import the file; return the path of the variant, "" if it is refused."""
        page = self._form(IMPORT, IMPORT)
        if page is None:
            return ""
        upload = Upload("file", "variant.json", "application/json", self.drawn.content)
        answer = self._send(IMPORT, page, {}, upload)
        if answer is not None and answer.status == 200:
            # The page lists the changes that do not fit; the rest is imported anyway.
            asked = [one for one in forms.forms_of(IMPORT, answer.body) if one.action == IMPORT]
            if asked:
                answer = self._send(IMPORT, asked[0], {"anyway": "1"})
        return self._location(IMPORT, answer)

    def _open(self, variant: str) -> None:
        """Open the draft: its own page, every page about its changes, some others."""
        changed = {change["table"] for change in self.drawn.changes}
        named = {
            f"{variant}tables/{change['table']}/{change['row']}/"
            if change["row"]
            else f"{variant}single/{change['table']}/"
            for change in self.drawn.changes
        }
        links = self._links(variant, variant)
        tables = [f"{variant}tables/{table}/" for table in sorted(changed)]
        paths = [*self._some(tables), *self._some(sorted(named)), f"{variant}fair/"]
        paths += [f"{variant}export/", *self._some(links)]
        paths += [f"{variant}add/{table}/" for table in self._some(sorted(changed))[:2]]
        for path in dict.fromkeys(paths):
            self.browser.get(path)
        # A row's form is sent unchanged, and the question of fairness asked.
        for path in (*self._some(sorted(named))[:1], f"{variant}fair/"):
            for form in self.browser.forms.get(path, ())[:1]:
                self._send(path, form, {})

    def _publish(self, variant: str) -> str:
        """Publish the draft; return the digest of its rulebook, "" if it has mistakes."""
        path = f"{variant}publish/"
        form = self._form(path, path)
        if form is None:
            return ""
        self._send(path, form, {})
        answer = self.browser.get(variant)
        found = DIGEST.search(answer.text) if answer is not None else None
        return found[1] if found else ""

    # Rules

    def _read(self, digest: str) -> None:
        """Open the pages of the rules, search them, and print them."""
        rules = f"/rules/version/{digest}/"
        for path in self._some(self._links(rules, rules), MOST_PAGES * 2):
            self.browser.get(path)
        words = self.dice.choice(("x", "made", "1", "{", "\u202e"))
        for path in ("reference.pdf", "blank.pdf", f"search/?{urlencode({'q': words})}"):
            self.browser.get(rules + path)

    def _ask(self, digest: str) -> None:
        """Request the odds of rolls that the variant adds or changes, in situations drawn at
        random.
        """
        path = f"/rules/version/{digest}/odds/"
        form = self._form(path, path)
        if form is None:
            return
        own = [change["row"] for change in self.drawn.changes if change["table"] == "rolls"]
        listed = next((each.options for each in form.fields if each.name == "roll-key"), [])
        others = self.dice.sample(listed, min(len(listed), 2))
        for key in dict.fromkeys([*own[:3], *others]):
            here = f"{path}?{urlencode({'roll-key': key})}"
            self.browser.get(here)
            for found in [one for one in self.browser.forms.get(here, ()) if one.method == "GET"]:
                for _ in range(MOST_ODDS // 3):
                    more = [("HX-Request", "true"), ("HX-Target", "odds-result")]
                    headers = more if self.dice.random() < 0.5 else []
                    self._send(here, found, {"roll-key": key}, headers=headers)

    # Playing

    def _play(self, digest: str) -> None:
        """Found gangs with the variant, change and print one, play at a table, and play a
        post-game.
        """
        founding = f"/gangs/new/{self.drawn.on.slug}/?version={digest}"
        gangs = [gang for gang in (self._found(founding), self._found(founding)) if gang]
        if not gangs:
            return
        self.stage = "played"
        gang = gangs[0]
        links = self._links(gang, gang)
        for path in self._some([link for link in links if not is_print(link)], MOST_PAGES):
            self.browser.get(path)
        self._press(gang)
        for path in self._some([*self._links(f"{gang}prints/", gang), f"{gang}sheet.pdf"], 3):
            self.browser.get(path)
        self._at_a_table(gang)
        if len(gangs) > 1:
            postgame, failure = postgame_of(self.user, digest, gangs)
            if failure:
                self._fail("a game not played", summary(failure) or failure, Request("GET", gang))
            if postgame:
                self._after_a_game(postgame)

    def _found(self, path: str) -> str:
        """Found a ready-made gang if there is one, or else an empty one; return its path."""
        self.browser.get(path)
        found = [one for one in self.browser.forms.get(path, ()) if "/gangs/new/" in one.action]
        ready = [one for one in found if any(each.name == "sample" for each in one.fields)]
        for form in self._some(ready or found, 1):
            name = f"Gang {self.dice.randrange(10**6)}"
            answer = self._send(path, form, {"name": name, "gang_name": name})
            return self._location(path, answer)
        return ""

    def _press(self, gang: str) -> None:
        """Press some of the builder's buttons."""
        for _ in range(MOST_PRESSED):
            known = [
                (page, form)
                for page, found in self.browser.forms.items()
                for form in found
                if page.startswith(gang) and form.action.startswith(gang) and form.method == "POST"
            ]
            wanted = [each for each in known if "/delete/" not in each[1].action]
            if not wanted:
                return
            page, form = self.dice.choice(wanted)
            self._send(page, form, {})
            self.browser.get(gang)

    def _at_a_table(self, gang: str) -> None:
        """Begin a game without a campaign, and throw every roll that it offers."""
        start = f"/campaigns{gang}play/"
        self.browser.get(start)
        table = ""
        for form in self.browser.forms.get(start, ()):
            if form.method == "POST":
                table = table or self._location(start, self._send(start, form, {}))
        if not table.startswith("/campaigns/tables/"):
            return
        links = self._links(table, table)
        for path in self._some([link for link in links if "/figures/" in link], 3):
            links += self._links(path, table)
        own = {change["row"] for change in self.drawn.changes if change["table"] == "rolls"}
        acts = sorted({link for link in links if "/acts/" in link})
        ours = [link for link in acts if any(f"/acts/{key}/" in link for key in own)]
        for path in (*self._some(ours, 3), *self._some(acts, 2)):
            self.browser.get(path)
            for form in self.browser.forms.get(path, ())[:2]:
                if form.method == "POST":
                    self._send(path, form, {"how": "throw"})
        for path in self._some(links, 3):
            self.browser.get(path)

    def _after_a_game(self, postgame: str) -> None:
        """Answer the questions of the post-game, step by step."""
        for _ in range(MOST_PRESSED * 3):
            self.browser.get(postgame)
            found = [one for one in self.browser.forms.get(postgame, ()) if one.method == "POST"]
            if not found:
                break
            self._send(postgame, self.dice.choice(found), {})
        self.browser.get(f"{postgame}preview/")

    # Forms and links

    def _form(self, path: str, action: str) -> Form | None:
        """Return the form of a page that leads there."""
        self.browser.get(path)
        found = self.browser.forms.get(path, ())
        return next((one for one in found if one.action == action), None)

    def _send(
        self,
        page: str,
        form: Form,
        values: dict[str, str],
        *uploads: Upload,
        headers: list[tuple[str, str]] | None = None,
    ) -> Answer | None:
        """Send a form as a person fills it in; ``values`` replace their choices."""
        sent = [pair for pair in forms.filled(form, self.dice) if pair[0] not in values]
        sent += values.items()
        return self.browser.send(
            Request(
                form.method,
                form.action,
                fields=tuple(sent),
                uploads=uploads,
                headers=tuple(headers or ()),
                multipart=form.multipart,
                page=page,
                own=True,
                what=self.drawn.shape,
            )
        )

    def _location(self, page: str, answer: Answer | None) -> str:
        """Return the path to which an answer redirects; "" if it does not."""
        if answer is None or "location" not in answer.headers:
            return ""
        return urlsplit(urljoin(page, answer.headers["location"])).path

    def _links(self, page: str, below: str) -> list[str]:
        """Return the links of a page to addresses below a path."""
        answer = self.browser.get(page)
        if answer is None or answer.status != 200 or not answer.is_page:
            return []
        return [link for link in forms.links_of(answer.body) if link.startswith(below)]

    def _some[T](self, of: list[T], most: int = MOST_PAGES) -> list[T]:
        return self.dice.sample(of, min(most, len(of)))

"""An attacker's random actions: open pages, send their forms with mistakes, request other people's
pages, upload spoiled files, press twice, and hang up.

Each attacker has a club of their own, which nobody else touches: so the same seed gives the same
requests, as far as the site's dice and clocks allow.
"""

from __future__ import annotations

import http.client
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from urllib.parse import urljoin, urlsplit

from tests.hostile import (
    addresses,
    catalogues,
    club,
    elsewhere,
    files,
    forms,
    nasty,
    packages,
    programs,
    sockets,
)
from tests.hostile.browser import Browser
from tests.hostile.forms import Form
from tests.hostile.judge import STRANGERS, Judge, is_print
from tests.hostile.requests import Answer, Request, Upload, send

# The number of attacks on a club before another is made.
CLUB_LASTS = 250
METHODS = ("GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get")
# The people who send forms: the people with the most forms send most often.
SENDERS = (*("owner",) * 5, *("organiser",) * 3, *("other",) * 2, "staff", "visitor", "stranger")
# The ends of the names of addresses whose forms take a file.
FILE_FORMS = (
    ":import",
    ":paste",
    ":badge",
    ":portrait",
    ":picture",
    ":upload",
    ":game-photo-add",
    ":old-results",
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252")
FILE_NAMES = ("a.json", "a.png", "../../x", "x" * 300, "\u202egpj.exe", "a\x00b", "x")
FILE_KINDS = ("application/json", "image/png", "image/svg+xml", "text/html", "x")
PASTED = ("Name", "Price", "key", "name.en")
# The page of other sites' shelves, and the rows that looking at one may change.
SHELVES = "/games/elsewhere/"
LOOKING = {"rules.foreignshelf", "rules.foreigngame", "accounts.dailyuse"}
# Signing in and up hash passwords, which takes half a second of the processor each time; and forms
# that are on every page need not be tried on every page.
SELDOM = ("account_", "farewell", "set_", "notices-")
SELDOM_SHARE = 0.05
# The share of all requests that should reach a form's own checks.
SHARE = 0.42


def is_account(name: str) -> bool:
    """Whether an address belongs to accounts."""
    return name.startswith("account_")


class Attacker:
    """One of several attackers at the same time, with a club, a browser for each of its people, and
    dice.
    """

    def __init__(self, number: int, seed: str, port: int, judge: Judge) -> None:
        self.number, self.port, self.judge = number, port, judge
        self.dice = Random(f"{seed} {number}")
        self.tried: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self.turns: Counter[str] = Counter()
        self.round = self.sent = self.looked_at = 0
        self.exports: dict[str, list[bytes]] = {}
        self.renew()

    def renew(self) -> None:
        """Make a new club, and look at all its pages."""
        self.club = club.make(club.slug_of(self.number + self.round))
        self.round += 1
        self.attacks = 0
        self.history: list[Request] = []
        self.people = {
            name: Browser(name, self.send, self.dice, self._signing_in(name))
            for name in (*club.MEMBERS, "staff", "stranger", "visitor")
        }
        self._crawl()
        # Forms of a game from elsewhere, for attacks on forms.
        self.attack_with_shelf(is_sound=True)

    def _signing_in(self, name: str) -> Callable[[], str] | None:
        if name not in self.club.people:
            return None
        return lambda: club.signed_in(self.club.people[name])

    def _crawl(self) -> None:
        """Open everybody's first pages, so that the pages behind them are known."""
        plain = [
            "/" + ways[0][0]
            for name, ways in addresses.routes().items()
            if not ways[0][1] and not name.startswith("account_logout")
        ]
        for name, browser in self.people.items():
            for path in (*self.club.starts.get(name, ()), *plain):
                browser.remember(path)
            for path in self.club.starts.get(name, ()):
                browser.get(path)

    # Sending

    def send(self, request: Request, cookies: dict[str, str]) -> Answer | None:
        """Send a request and judge the answer; return None if the connection broke."""
        request = replace(request, headers=(*request.headers, self._address(request)))
        sent = (request, dict(cookies))
        self.judge.recent.append(sent)
        self.judge.flying[id(sent)] = sent
        try:
            answer = send(self.port, request, cookies)
        except (OSError, http.client.HTTPException) as broken:
            if request.is_huge():
                self.judge.cut += 1
            else:
                self._fail("no answer", repr(broken)[:200], request)
            return None
        except ValueError:
            # Python's client refuses to send some requests.
            return None
        finally:
            del self.judge.flying[id(sent)]
        self.sent += 1
        self.looked_at += self.judge.count(request, answer)
        wrong = self.judge.wrong(request, answer, self.club.mark)
        if wrong is None and not is_print(request.path) and self.judge.is_slow(answer):
            wrong = self._still_slow(request, cookies, answer)
        if wrong is not None:
            self._fail(*wrong, request)
        elif request.method == "POST" and answer.status < 400:
            self.history.append(request)
        return answer

    def _address(self, request: Request) -> tuple[str, str]:
        """Return a different client address for every request, unless its own headers give one."""
        names = {name for name, _value in request.headers}
        if "X-Forwarded-For" in names:
            return "X-Nothing", "1"
        return "X-Forwarded-For", ".".join(str(self.dice.randrange(1, 255)) for _ in range(4))

    def _still_slow(
        self, request: Request, cookies: dict[str, str], first: Answer
    ) -> tuple[str, str] | None:
        times = []
        for _ in range(2):
            try:
                answer = send(self.port, request, cookies)
            except (OSError, http.client.HTTPException):
                return "no answer", "asked again after a slow one"
            if not self.judge.is_slow(answer):
                self.judge.wait(request, first)
                return None
            times.append(f"{answer.seconds:.1f} s")
        return "slow", f"by the clock, three times ({', '.join(times)})"

    def _fail(self, kind: str, detail: str, request: Request) -> None:
        self.judge.fail(kind, detail, [*self.history[-20:], request], self.club.names)

    # Attacking

    def attack(self) -> None:
        """Attack once, in a way chosen by chance."""
        self.attacks += 1
        if self.attacks > CLUB_LASTS or not self._is_whole():
            self.renew()
        act = self.dice.random()
        if act < 0.74 or self._is_behind():
            self.attack_form()
        elif act < 0.80:
            self.attack_address()
        elif act < 0.82:
            self.attack_as_strangers()
        elif act < 0.91:
            self.attack_with_file()
        elif act < 0.93:
            self.press_twice()
        elif act < 0.95:
            self.attack_as_programs()
        elif act < 0.98:
            self.attack_with_shelf()
        else:
            self.attack_connection()

    def _is_behind(self) -> bool:
        """Whether too few of the requests so far reached a form's own checks."""
        return self.looked_at < SHARE * self.sent

    def _is_whole(self) -> bool:
        """Whether the club's people still exist: their forms may have deleted them."""
        if self.attacks % 20:
            return True
        from accounts.models import User

        keys = [user.pk for user in self.club.people.values()]
        return User.objects.filter(pk__in=keys, is_active=True).count() == len(keys)

    def _chosen(self) -> tuple[Browser, str, Form] | None:
        """Return a form as a person was shown it: a seldom tried form among those they have open,
        or else a form of a page that is opened for it.
        """
        browser = self.people[self.dice.choice(SENDERS)]
        if self._is_behind():
            browser = max(self.people.values(), key=lambda each: len(each.forms))
        known = [path for path, found in browser.forms.items() if found]
        if known and (self._is_behind() or self.dice.random() < 0.8):
            paths = self.dice.sample(known, min(8, len(known)))
            found = [(path, form) for path in paths for form in self._wanted(browser, path)]
            if found:
                return self._seldom(browser, found)
        for _ in range(6):
            path = browser.choose()
            browser.visited(path)
            if is_print(path):
                continue
            if path not in browser.forms:
                browser.get(path)
            if found := [(path, form) for form in self._wanted(browser, path)]:
                return self._seldom(browser, found)
        return None

    def _wanted(self, browser: Browser, path: str) -> list[Form]:
        return [
            form
            for form in browser.forms.get(path, ())
            if not addresses.name_of(form.action).startswith(SELDOM)
            or self.dice.random() < SELDOM_SHARE
        ]

    def _seldom(self, browser: Browser, found: list[tuple[str, Form]]) -> tuple[Browser, str, Form]:
        """Return a seldom tried form among several."""
        self.dice.shuffle(found)
        path, form = min(found, key=self._tried)
        self._try(form)
        return browser, path, form

    def _tried(self, found: tuple[str, Form]) -> float:
        """Return how often a form was tried, weighted by the number of its fields."""
        written = [each for each in found[1].fields if each.kind in nasty.WRITTEN]
        return self.tried.get(found[1].signature, 0) / (1 + len(written[:6]))

    def _try(self, form: Form) -> None:
        self.tried[form.signature] = self.tried.get(form.signature, 0) + 1
        with self.judge.lock:
            self.judge.forms[form.signature] += 1

    def attack_form(self) -> None:
        """Send a page's form several times, each time but the first with a mistake."""
        found = self._chosen()
        if found is None:
            return
        browser, path, form = found
        for number in range(self.dice.randint(4, 10) if len(form.fields) > 3 else 2):
            sent = forms.filled(form, self.dice)
            whole, words = True, "as it should be"
            if number or self.dice.random() < 0.8:
                sent, words, whole = nasty.spoiled(form, sent, self.dice, self._turn(form))
            answer = browser.send(self._filled(browser, form, path, sent, words, whole))
            if answer is None:
                return
            if form.method == "POST" and answer.status != 422 and whole:
                # The page shown before is out of date.
                browser.forms.pop(path, None)
                if self.dice.random() < 0.25:
                    self._look_on(browser, form, answer)
                return

    def _turn(self, form: Form) -> Callable[[str], int]:
        """Return how often a field of the form was spoiled before: values taken in turns leave none
        out. Each attacker begins with another kind of text.
        """
        address = addresses.name_of(form.action)

        def turn(name: str) -> int:
            key = f"{address} {re.sub(r'[0-9]+', '#', name)}"
            self.turns[key] += 1
            return self.number + self.turns[key]

        return turn

    def _filled(
        self,
        browser: Browser,
        form: Form,
        page: str,
        sent: list[tuple[str, str]],
        words: str,
        whole: bool,
    ) -> Request:
        headers = [nasty.header(self.dice)] if self.dice.random() < 0.04 else []
        if self.dice.random() < 0.5:
            headers.append(("HX-Request", "true"))
            headers.append(("HX-Current-URL", f"http://127.0.0.1:{self.port}{page}"))
        tokens = tuple({name for name, _value in sent if forms.TOKENS.fullmatch(name)})
        return Request(
            form.method,
            form.action,
            fields=tuple(sent),
            uploads=self._uploads(form, browser),
            headers=tuple(headers),
            multipart=form.multipart,
            page=page,
            kept=tokens if whole else (),
            own=whole,
            what=words,
        )

    def _look_on(self, browser: Browser, form: Form, answer: Answer) -> None:
        """Look at the effects of a change."""
        if answer.status == 200 and answer.is_page:
            for link in forms.links_of(answer.body):
                browser.remember(link)
        if "location" in answer.headers:
            path = urlsplit(urljoin(form.action, answer.headers["location"]))
            browser.get(path._replace(scheme="", netloc="", fragment="").geturl())

    def attack_as_programs(self) -> None:
        """Send requests of programs: to each operation of the API, by anybody with a token."""
        for _ in range(4):
            person = self.dice.choice(programs.READERS)
            self.send(programs.request(self.club, person, self.dice), {})

    def attack_address(self) -> None:
        """Request any address, as anybody, with any method."""
        dice = self.dice
        browser = self.people[dice.choice(list(self.people))]
        other = self.people[dice.choice(list(self.people))]
        for _ in range(4):
            act = dice.random()
            name = dice.choice(list(addresses.routes()))
            if act < 0.35:
                path = addresses.invented(name, dice)
            elif act < 0.6:
                path = addresses.misled(other.choose_any(), dice)
            else:
                path = other.choose_any()
            if addresses.name_of(path).startswith(SELDOM) and dice.random() > 0.2:
                continue
            if browser.person in STRANGERS and addresses.is_key(path):
                continue
            if dice.random() < 0.5:
                words = nasty.query(dice, sorted(browser.parameters))
                path = Request("GET", path, fields=tuple(words)).encoded()[0]
            headers = [nasty.header(dice) for _ in range(dice.choice((0, 0, 1, 2)))]
            method = dice.choice(METHODS) if dice.random() < 0.4 else "GET"
            body = None
            if method not in ("GET", "HEAD"):
                body = dice.choice((b"", b"{}", b"x=1", b"\x00\xff" * 50, b"a" * 5000))
            browser.send(
                Request(method, path, headers=tuple(headers), body=body, what="an address")
            )

    def attack_as_strangers(self) -> None:
        """Request all of the club's pages and send its forms as strangers; nothing of it may
        change.
        """
        before = club.rows_of(self.club)
        asked: list[Request] = []
        for _ in range(20):
            browser = self.people[self.dice.choice(("stranger", "visitor"))]
            whose = self.people[self.dice.choice(club.MEMBERS)]
            path = whose.choose_any()
            if addresses.is_key(path):
                continue
            known = whose.forms.get(path)
            if known and (self._is_behind() or self.dice.random() < 0.8):
                form = self.dice.choice(known)
                if addresses.name_of(form.action).startswith(SELDOM):
                    continue
                sent = [
                    (name, value)
                    for name, value in forms.filled(form, self.dice)
                    if name != forms.CSRF
                ]
                request = Request(form.method, form.action, fields=(*sent, self._csrf(browser)))
            else:
                request = Request("GET", path)
            asked.append(replace(request, person=browser.person, what="by a stranger"))
            browser.send(asked[-1])
        after = club.rows_of(self.club)
        if before != after:
            changed = {row[0] for row in before.keys() ^ after.keys()}
            changed |= {row[0] for row in before.keys() & after.keys() if before[row] != after[row]}
            detail = f"rows of {', '.join(sorted(map(str, changed)))}"
            self.judge.fail("changed by a stranger", detail, asked, self.club.names)

    def _csrf(self, browser: Browser) -> tuple[str, str]:
        """Return a valid token for this browser."""
        if "csrftoken" not in browser.cookies:
            browser.get("/accounts/login/" if browser.person == "visitor" else "/gangs/import/")
        return forms.CSRF, browser.cookies.get("csrftoken", "")

    # Files

    def _uploads(self, form: Form, browser: Browser) -> tuple[Upload, ...]:
        wanted = [each for each in form.fields if each.kind == "file"]
        return tuple(
            self._upload(each, addresses.name_of(form.action), browser)
            for each in wanted
            if self.dice.random() < 0.9
        )

    def _upload(self, wanted: forms.Field, address: str, browser: Browser) -> Upload:
        accepts = wanted.attributes.get("accept", "")
        if ".gst" in accepts and self.dice.random() < 0.95:
            name, content = self.dice.choice(catalogues.upload(self.dice)[0])
            return Upload(wanted.name, name, "application/octet-stream", content)
        if "zip" in accepts and self.dice.random() < 0.95:
            content, words = packages.package(self.dice)
            return Upload(wanted.name, f"{words}.zip", "application/zip", content)
        if "csv" in accepts and self.dice.random() < 0.95:
            table = files.old_results(self.dice)
            content = table.encode(self.dice.choice(ENCODINGS), "replace")
            return Upload(wanted.name, "results.csv", "text/csv", content)
        if "gettext" in accepts and self.dice.random() < 0.95:
            content, _words = files.translation(self.dice)
            return Upload(wanted.name, "words.po", "text/x-gettext-translation", content)
        if ".ros" in accepts and self.dice.random() < 0.4:
            name, content = catalogues.army_list(self.dice)
            return Upload(wanted.name, name, "application/octet-stream", content)
        is_picture = "image" in accepts or ("json" not in accepts and ":import" not in address)
        if self.dice.random() < 0.05:
            is_picture = not is_picture
        name, kind = self.dice.choice(FILE_NAMES), self.dice.choice(FILE_KINDS)
        if is_picture:
            content, _words = files.picture(self.dice)
        else:
            content, _words = files.document(self._exported(address), self.dice, self.club.ids())
        if browser.person in STRANGERS:
            # Strangers may see content that they uploaded themselves.
            content = content.replace(self.club.mark.encode(), b"theirs")
        return Upload(wanted.name, name, kind, content)

    def _exported(self, address: str) -> bytes:
        """Return a file that the same part of the site has exported; seldom that of another
        part.
        """
        space = address.partition(":")[0]
        known = self.exports.get(space) or []
        if len(known) < 3 or self.dice.random() < 0.1:
            known = self.exports[space] = [*known, *self._export(space)][-4:]
        every = [each for found in self.exports.values() for each in found]
        if self.dice.random() < 0.05 or not known:
            return self.dice.choice(every or [b"{}"])
        return self.dice.choice(known)

    def _export(self, space: str) -> list[bytes]:
        for name in ("owner", "organiser"):
            browser = self.people[name]
            paths = browser.pages.get(f"{space}:export", [])
            if paths:
                answer = browser.send(Request("GET", self.dice.choice(paths), what="an export"))
                if answer is not None and answer.status == 200:
                    return [answer.body]
        return []

    def attack_with_file(self) -> None:
        """Upload a file to a form with a file field, and look at all its effects."""
        browser = self.people[self.dice.choice(("owner", "owner", "organiser", "staff"))]
        known = [
            path
            for name, paths in browser.pages.items()
            for path in paths
            if name.endswith(FILE_FORMS) and not path.endswith(".jpg")
        ]
        if not known:
            return
        path = self.dice.choice(known)
        if path not in browser.forms:
            browser.get(path)
        wanted = [
            form
            for form in browser.forms.get(path, ())
            if any(each.kind in ("file", "textarea") for each in form.fields)
        ]
        if not wanted:
            return
        for _ in range(3):
            form = self.dice.choice(wanted)
            self._try(form)
            sent = forms.filled(form, self.dice)
            for place, (name, _value) in enumerate(sent):
                kind = next((each.kind for each in form.fields if each.name == name), "")
                if kind == "textarea" and path.find("paste") > 0:
                    sent[place] = (
                        name,
                        files.pasted(self.dice, PASTED),
                    )
                elif kind == "textarea" and "old-results" in path:
                    # The site reads a file, if there is one, and the text otherwise.
                    sent[place] = (name, files.old_results(self.dice))
                elif kind == "text" and self.dice.random() < 0.9:
                    # Names the gangs that belong to the importer: mostly none.
                    sent[place] = (name, "")
            answer = browser.send(self._filled(browser, form, path, sent, "a file", True))
            if answer is None:
                return
            if answer.status in (302, 303):
                self._look_at_arrival(browser, urljoin(path, answer.headers["location"]))
                browser.forms.pop(path, None)
                return

    def _look_at_arrival(self, browser: Browser, path: str) -> None:
        """Open the imported object, and all its pages."""
        answer = browser.get(path)
        if answer is None or answer.status != 200:
            return
        own = urlsplit(path).path
        links = [link for link in forms.links_of(answer.body) if link.startswith(own)]
        self.dice.shuffle(links)
        for link in links[:12]:
            if not is_print(link):
                browser.get(link)

    # Shelves of other sites

    def attack_with_shelf(self, *, is_sound: bool = False) -> None:
        """Look at a hostile shelf and see its games, which changes nothing but the list of what was
        looked at; then press the buttons of a game that came. ``is_sound``: only its owner is
        hostile."""
        browser = self.people[self.dice.choice(club.MEMBERS)]
        host = elsewhere.choose_host(self.dice, is_sound=is_sound)
        before = club.rows_of(self.club)
        page = self._press(browser, SHELVES, SHELVES, address=f"https://{host}/")
        self.judge.shelves["looked at"] += 1
        wanted = [one for one in self._buttons(browser, page) if one != page]
        came = [self._press(browser, page, action) for action in wanted[:2]]
        self._judge_looking(host, before)
        for path in filter(None, came):
            self.judge.shelves["came"] += 1
            if self._press(browser, path, path):
                self.judge.shelves["taken"] += 1
            if others := self._buttons(browser, path):
                self._press(browser, path, self.dice.choice(others))

    def _buttons(self, browser: Browser, page: str) -> list[str]:
        """Return where the forms of a page about other sites lead."""
        found = [form.action for form in browser.forms.get(page, ())]
        return [action for action in found if action.startswith(SHELVES)]

    def _press(self, browser: Browser, page: str, action: str, **fields: str) -> str:
        """Send one of a page's forms with these values, and open the page to which the answer
        leads; return its path, "" if there is none."""
        if page not in browser.forms:
            browser.get(page)
        for form in browser.forms.get(page, ()):
            if form.action == action:
                sent = [
                    (name, fields.get(name, value)) for name, value in forms.filled(form, self.dice)
                ]
                answer = browser.send(self._filled(browser, form, page, sent, "a shelf", True))
                browser.forms.pop(page, None)
                if answer is None or answer.status not in (302, 303):
                    return ""
                path = urlsplit(urljoin(page, answer.headers["location"])).path
                browser.get(path)
                return path
        return ""

    def _judge_looking(self, host: str, before: dict[club.Row, int]) -> None:
        """Fail if a game was taken without a press, or anything else of the club's changed."""
        from rules.models import BookVersion, ForeignGame

        after = club.rows_of(self.club)
        changed = {row[0] for row in before.keys() ^ after.keys()}
        changed |= {row[0] for row in before.keys() & after.keys() if before[row] != after[row]}
        if BookVersion.objects.filter(pk=elsewhere.book_at(host).digest).exists():
            changed.add("rules.bookversion")
        came = ForeignGame.objects.filter(shelf__url__contains=f"//{host}/")
        if not elsewhere.hostile_at(host).is_sound and came.exists():
            changed.add("a game that should be refused")
        if wrong := changed - LOOKING:
            detail = f"rows of {', '.join(sorted(wrong))} after looking at {host}"
            self.judge.fail("changed by looking", detail, self.history[-3:], self.club.names)

    # Haste

    def press_twice(self) -> None:
        """Send the same form twice or more at the same time."""
        found = self._account() if self.dice.random() < 0.2 else self._chosen()
        if found is None:
            return
        browser, path, form = found
        sent = forms.filled(form, self.dice)
        request = self._filled(browser, form, path, sent, "pressed at once", True)
        threads = [
            threading.Thread(target=browser.send, args=(request,))
            for _ in range(self.dice.choice((2, 2, 3, 5)))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        browser.forms.pop(path, None)

    def _account(self) -> tuple[Browser, str, Form] | None:
        """Return the form of a page for a visitor who signs up or in."""
        browser = self.people["visitor"]
        path = self.dice.choice(
            [path for name, found in browser.pages.items() for path in found if is_account(name)]
        )
        if path not in browser.forms:
            browser.get(path)
        found = [(path, form) for form in browser.forms.get(path, ()) if form.action == path]
        return self._seldom(browser, found) if found else None

    def attack_connection(self) -> None:
        """Send a request that no browser sends, on the connection itself."""
        browser = self.people[self.dice.choice(("owner", "visitor"))]
        path = browser.choose_any()
        self.judge.cut += 1
        wrong = sockets.attack(self.port, path, browser.cookies, self.dice)
        if wrong is not None:
            words, content = wrong
            request = Request("RAW", path, browser.person, body=content, what=words)
            self._fail("an answer to rubbish", words, request)

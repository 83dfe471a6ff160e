"""Permissions of every address, for owner, organiser, other player, stranger and visitor. Strangers
get 404: they do not learn that there is something to see.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import get_resolver, reverse

from tests.world.addresses import (
    OF_GAMES,
    OF_VARIANTS,
    World,
    arguments_of,
    make_world,
    patterns,
)

pytestmark = pytest.mark.django_db
PEOPLE = ("owner", "organiser", "other", "stranger", "visitor")
LOGIN = "login"  # redirected to sign in
# For each address: its method, and the answers to owner, organiser, other player, stranger and
# visitor. The organiser here has no gang in the campaign; "other" has one.
PUBLIC = (200, 200, 200, 200, 200)
MEMBERS = (200, 200, 200, 200, LOGIN)
MINE = (200, 404, 404, 404, 404)
CORRECTORS = (200, 200, 404, 404, 404)
MINE_POST = (302, 404, 404, 404, 404)
INVALID_POST = (422, 404, 404, 404, 404)
MINE_SIGNED_IN = (200, 404, 404, 404, LOGIN)
NOBODY_SIGNED_IN = (404, 404, 404, 404, LOGIN)
CAMPAIGN = (200, 200, 200, 404, LOGIN)
CAMPAIGN_READ = (200, 200, 200, 404, 404)
# The API ignores the session: tests/api/test_api.py asks with tokens.
WITHOUT_TOKEN = (401,) * 5
ADDRESSES: dict[str, tuple[str, tuple[int | str, ...]]] = {
    "health": ("GET", PUBLIC),
    "ready": ("GET", PUBLIC),
    "metrics": ("GET", (404,) * 5),
    "favicon": ("GET", (302,) * 5),
    "touch-icon": ("GET", (302,) * 5),
    "robots": ("GET", PUBLIC),
    "sitemap": ("GET", PUBLIC),
    "change-password": ("GET", (302,) * 5),
    # Where the site names a contact: tests/test_well_known.py.
    "security": ("GET", (404,) * 5),
    "offline": ("GET", PUBLIC),
    "no-connection": ("GET", PUBLIC),
    "manifest": ("GET", PUBLIC),
    "set_theme": ("POST", (302,) * 5),
    "set_abbreviations": ("POST", (302,) * 5),
    "set_rulebook_languages": ("POST", (302,) * 5),
    "tonight": ("GET", MEMBERS),
    "notices": ("GET", MEMBERS),
    "notice": ("POST", (302, 404, 404, 404, LOGIN)),
    "notices-read": ("POST", (302, 302, 302, 302, LOGIN)),
    "notices-mail": ("POST", (302, 302, 302, 302, LOGIN)),
    # Devices of one user: tests/outbound/push/test_devices.py.
    "push-subscribe": ("POST", (302, 302, 302, 302, LOGIN)),
    "push-renew": ("GET", MEMBERS),
    "push-choose": ("POST", (404, 404, 404, 404, LOGIN)),
    "push-test": ("POST", (404, 404, 404, 404, LOGIN)),
    "push-remove": ("POST", (302, 302, 302, 302, LOGIN)),
    "account": ("GET", MEMBERS),
    "end-other-sessions": ("POST", (302, 302, 302, 302, LOGIN)),
    "farewell": ("GET", MEMBERS),
    "own-data": ("POST", MEMBERS),
    "privacy": ("GET", PUBLIC),
    "imprint": ("GET", PUBLIC),
    # For the site's staff: tests/accounts/test_site_pages.py.
    "edit-site-page": ("GET", NOBODY_SIGNED_IN),
    "site-invitations": ("GET", NOBODY_SIGNED_IN),
    "withdraw-invitation": ("POST", NOBODY_SIGNED_IN),
    # For administrators: tests/guide/test_components.py.
    "components": ("GET", (404,) * 5),
    "guide:contents": ("GET", PUBLIC),
    "guide:chapter": ("GET", PUBLIC),
    "rules:books": ("GET", PUBLIC),
    "rules:games": ("GET", (302,) * 5),
    "rules:shelf": ("GET", PUBLIC),
    "rules:share": ("GET", MINE_SIGNED_IN),
    # Requests to other sites: tests/outbound/shelves.
    "shelves:list": ("GET", MEMBERS),
    "shelves:shelf": ("GET", MINE_SIGNED_IN),
    "shelves:fetch": ("POST", (422, 404, 404, 404, LOGIN)),
    "shelves:game": ("GET", MINE_SIGNED_IN),
    "shelves:copy": ("POST", NOBODY_SIGNED_IN),
    "shelves:forget": ("POST", (302, 404, 404, 404, LOGIN)),
    "rules:book": ("GET", PUBLIC),
    "rules:chapter": ("GET", PUBLIC),
    "rules:introduction": ("GET", PUBLIC),
    "rules:version-introduction": ("GET", PUBLIC),
    "rules:search": ("GET", PUBLIC),
    "rules:translations": ("GET", PUBLIC),
    "rules:new-words": ("GET", (302,) * 5),
    "rules:words": ("GET", PUBLIC),
    "rules:translation": ("GET", MINE),
    # The odds of each reader's own fighters: rules/odds/test_page.py.
    "rules:odds": ("GET", PUBLIC),
    "rules:version-odds": ("GET", PUBLIC),
    "rules:version": ("GET", PUBLIC),
    "rules:look": ("GET", PUBLIC),
    "rules:looks": ("GET", PUBLIC),
    "rules:preview": ("GET", PUBLIC),
    "rules:version-preview": ("GET", PUBLIC),
    "rules:version-chapter": ("GET", PUBLIC),
    "rules:version-search": ("GET", PUBLIC),
    "api:me": ("GET", WITHOUT_TOKEN),
    "api:rulebooks": ("GET", WITHOUT_TOKEN),
    "api:shelf": ("GET", WITHOUT_TOKEN),
    "api:rulebook": ("GET", WITHOUT_TOKEN),
    "api:odds": ("GET", WITHOUT_TOKEN),
    "api:answer_night": ("POST", WITHOUT_TOKEN),
    "api:report_game": ("POST", WITHOUT_TOKEN),
    "api:confirm_game": ("POST", WITHOUT_TOKEN),
    "api:tap": ("POST", WITHOUT_TOKEN),
    "api:found_gang": ("POST", WITHOUT_TOKEN),
    "api:gangs": ("GET", WITHOUT_TOKEN),
    "api:gang": ("GET", WITHOUT_TOKEN),
    "api:shared": ("GET", WITHOUT_TOKEN),
    "api:campaigns": ("GET", WITHOUT_TOKEN),
    "api:campaign": ("GET", WITHOUT_TOKEN),
    "api:standings": ("GET", WITHOUT_TOKEN),
    "api:campaign_games": ("GET", WITHOUT_TOKEN),
    "api:campaign_nights": ("GET", WITHOUT_TOKEN),
    "api:stages": ("GET", WITHOUT_TOKEN),
    "api:chronicle": ("GET", WITHOUT_TOKEN),
    "api:game": ("GET", WITHOUT_TOKEN),
    "api:night": ("GET", WITHOUT_TOKEN),
    "api-docs:documentation": ("GET", PUBLIC),
    "api-docs:openapi": ("GET", PUBLIC),
    "api-pages:tokens": ("GET", MEMBERS),
    "api-pages:delete-token": ("POST", (404, 404, 404, 404, LOGIN)),
    "importing:start": ("GET", MEMBERS),
    "importing:show": ("GET", MINE_SIGNED_IN),
    "importing:answer": ("POST", (422, 404, 404, 404, LOGIN)),
    "importing:make": ("POST", (422, 404, 404, 404, LOGIN)),
    "importing:delete": ("POST", (302, 404, 404, 404, LOGIN)),
    # The world's game was not made from catalogues: its list of notes leads back to it.
    "importing:notes": ("GET", (302, 404, 404, 404, LOGIN)),
    "importing:newer": ("GET", (302, 404, 404, 404, LOGIN)),
    # The world's import is for no game; rules/importing/test_again.py merges one.
    "importing:merge": ("GET", (404, 404, 404, 404, LOGIN)),
    "editor:list": ("GET", MEMBERS),
    "editor:new": ("GET", MEMBERS),
    "editor:new-variant": ("GET", MEMBERS),
    "editor:import": ("GET", MEMBERS),
    "editor:edit": ("GET", MINE_SIGNED_IN),
    "editor:names": ("GET", MINE_SIGNED_IN),
    "editor:languages": ("GET", MINE_SIGNED_IN),
    "editor:look": ("GET", MINE_SIGNED_IN),
    "editor:campaign": ("GET", MINE_SIGNED_IN),
    "editor:dice": ("GET", MINE_SIGNED_IN),
    "editor:dice-new": ("GET", MINE_SIGNED_IN),
    "editor:dice-roll": ("GET", NOBODY_SIGNED_IN),
    "editor:preview": ("GET", MINE_SIGNED_IN),
    "editor:fair": ("GET", MINE_SIGNED_IN),
    "editor:export": ("GET", MINE_SIGNED_IN),
    "editor:publish": ("GET", MINE_SIGNED_IN),
    "editor:undo": ("POST", (302, 404, 404, 404, LOGIN)),
    "editor:restore": ("POST", NOBODY_SIGNED_IN),
    "editor:version": ("GET", (302, 404, 404, 404, LOGIN)),
    "editor:archive": ("POST", (302, 404, 404, 404, LOGIN)),
    "editor:share": ("GET", MINE_SIGNED_IN),
    "editor:delete": ("GET", MINE_SIGNED_IN),
    "editor:table": ("GET", MINE_SIGNED_IN),
    "editor:row": ("GET", MINE_SIGNED_IN),
    "editor:single": ("GET", MINE_SIGNED_IN),
    "editor:add": ("GET", MINE_SIGNED_IN),
    "editor:paste": ("GET", MINE_SIGNED_IN),
    "editor:several": ("GET", MINE_SIGNED_IN),
    "editor:act": ("POST", NOBODY_SIGNED_IN),
    "editor:try": ("POST", MINE_SIGNED_IN),
    "moved-variants": ("GET", (301,) * 5),
    "moved-drafts": ("GET", (301,) * 5),
    "gangs:front": ("GET", (302, 302, 302, 302, 200)),
    "gangs:list": ("GET", MEMBERS),
    "gangs:choose-book": ("GET", PUBLIC),
    "gangs:new": ("GET", PUBLIC),
    "gangs:import": ("GET", MEMBERS),
    # Without a list, it leads to the page where one is chosen.
    "gangs:import-list": ("GET", (302, 302, 302, 302, LOGIN)),
    "gangs:builder": ("GET", MINE),
    "gangs:about": ("GET", MINE),
    "gangs:names": ("GET", MINE),
    "gangs:members": ("POST", INVALID_POST),
    "gangs:member": ("GET", MINE_POST),
    "gangs:points": ("POST", INVALID_POST),
    "gangs:spread-all": ("POST", INVALID_POST),
    "gangs:traits": ("POST", INVALID_POST),
    "gangs:items": ("GET", MINE),
    "gangs:dismissal": ("POST", INVALID_POST),
    "gangs:double": ("POST", INVALID_POST),
    "gangs:career": ("GET", MINE),
    "gangs:portrait": ("GET", MINE_SIGNED_IN),
    "gangs:badge": ("GET", MINE_SIGNED_IN),
    "gangs:picture": ("GET", CAMPAIGN_READ),
    "gangs:order": ("POST", INVALID_POST),
    "gangs:place": ("POST", (409, 404, 404, 404, 404)),
    "gangs:stash": ("GET", MINE),
    "gangs:holdings": ("POST", INVALID_POST),
    "gangs:own-items": ("GET", MINE),
    "gangs:item": ("POST", INVALID_POST),
    "gangs:undo": ("POST", (409, 404, 404, 404, 404)),
    "gangs:redo": ("POST", (409, 404, 404, 404, 404)),
    "gangs:history": ("GET", CORRECTORS),
    "gangs:strike": ("POST", (409, 409, 404, 404, 404)),
    "gangs:correct": ("GET", (302, 302, 404, 404, 404)),
    "gangs:add-entry": ("GET", CORRECTORS),
    "gangs:edit-entry": ("GET", CORRECTORS),
    "gangs:restore": ("POST", (404, 404, 404, 404, 404)),
    "gangs:sheet": ("GET", MINE),
    "gangs:sheet-pdf": ("GET", MINE),
    "gangs:text": ("GET", MINE),
    "gangs:saved-pictures": ("GET", MINE),
    "gangs:saved-picture": ("GET", MINE),
    "gangs:prints": ("GET", MINE),
    "rules:reference": ("GET", PUBLIC),
    "rules:version-reference": ("GET", PUBLIC),
    "gangs:reference-pdf": ("GET", MINE),
    "rules:blank": ("GET", PUBLIC),
    "rules:version-blank": ("GET", PUBLIC),
    "rules:package": ("GET", PUBLIC),
    "rules:version-package": ("GET", PUBLIC),
    "gangs:blank-pdf": ("GET", MINE),
    "gangs:cards-pdf": ("GET", MINE),
    "gangs:posters-pdf": ("GET", MINE),
    "gangs:then": ("GET", CAMPAIGN_READ),
    "gangs:then-sheet": ("GET", CAMPAIGN_READ),
    "gangs:then-pdf": ("GET", CAMPAIGN_READ),
    "gangs:between": ("GET", CAMPAIGN_READ),
    "gangs:sharing": ("POST", MINE_POST),
    # It plays in a campaign: the page asks first.
    "gangs:archive": ("POST", (422, 404, 404, 404, LOGIN)),
    "gangs:copy": ("GET", MINE),
    "gangs:marks": ("POST", (302, 404, 404, 404, LOGIN)),
    "gangs:delete": ("GET", MINE),
    "gangs:export": ("GET", MINE),
    "gangs:shared": ("GET", PUBLIC),
    "gangs:shared-pdf": ("GET", PUBLIC),
    "gangs:shared-picture": ("GET", PUBLIC),
    "gangs:shared-preview": ("GET", PUBLIC),
    "gangs:shared-code": ("GET", PUBLIC),
    "gangs:shared-text": ("GET", PUBLIC),
    "gangs:shared-saved-pictures": ("GET", PUBLIC),
    "gangs:shared-saved-picture": ("GET", PUBLIC),
    "gangs:enter-code": ("GET", PUBLIC),
    "gangs:by-code": ("GET", (302,) * 5),
    "gangs:upgrade": ("GET", MINE),
    "campaigns:list": ("GET", MEMBERS),
    "campaigns:choose-book": ("GET", MEMBERS),
    "campaigns:import": ("GET", MEMBERS),
    "campaigns:old-results": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:old-results-undo": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:export": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:new": ("GET", MEMBERS),
    "campaigns:join": ("GET", PUBLIC),
    "campaigns:join-again": ("GET", CAMPAIGN),
    "campaigns:campaign": ("GET", CAMPAIGN),
    "campaigns:settings": ("GET", (404, 200, 404, 404, LOGIN)),
    "hooks:channels": ("GET", (404, 200, 404, 404, LOGIN)),
    "hooks:channel": ("GET", (404, 200, 404, 404, LOGIN)),
    "hooks:act": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:archive": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:delete": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:renew-invitation": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:watch": ("GET", (302, 302, 302, 302, 200)),
    "campaigns:watch-preview": ("GET", PUBLIC),
    "campaigns:watch-standings": ("GET", (302, 302, 302, 302, 200)),
    "campaigns:watch-standings-preview": ("GET", PUBLIC),
    "campaigns:follow": ("POST", (302, 302, 302, 404, LOGIN)),
    "campaigns:people": ("GET", CAMPAIGN),
    "campaigns:invite": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:role": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:remove": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:withdraw-invitation": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:accept-requests": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:decide-request": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:withdraw-request": ("POST", NOBODY_SIGNED_IN),
    "campaigns:unbar": ("POST", NOBODY_SIGNED_IN),
    "campaigns:retire": ("POST", (302, 302, 404, 404, LOGIN)),
    "campaigns:hand-over": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:depart": ("GET", CAMPAIGN),
    "campaigns:career": ("GET", CAMPAIGN),
    "campaigns:leave": ("GET", (200, 200, 404, 404, LOGIN)),
    "campaigns:result-rules": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:game-new": ("GET", CAMPAIGN),
    "campaigns:game": ("GET", CAMPAIGN),
    "campaigns:game-text": ("GET", CAMPAIGN),
    "campaigns:game-pictures": ("GET", CAMPAIGN),
    "campaigns:game-photo-add": ("GET", (200, 200, 200, 404, LOGIN)),
    # The owner uploaded it and removes it, so nobody else finds it.
    "campaigns:game-photo-remove": ("POST", (302, 404, 404, 404, LOGIN)),
    "campaigns:game-photo": ("GET", CAMPAIGN),
    "campaigns:game-picture": ("GET", CAMPAIGN),
    "campaigns:game-report": ("GET", (302, 200, 302, 404, LOGIN)),
    "campaigns:game-verdict": ("POST", (422, 422, 422, 404, LOGIN)),
    "campaigns:game-tale": ("POST", (302, 302, 404, 404, LOGIN)),
    "campaigns:game-settle": ("POST", (302, 422, 302, 404, LOGIN)),
    "campaigns:game-withdraw": ("POST", (422, 409, 422, 404, LOGIN)),
    "campaigns:game-plan": ("GET", (302, 302, 302, 404, LOGIN)),
    "campaigns:game-roles": ("POST", (422, 422, 422, 404, LOGIN)),
    "campaigns:pack-pdf": ("GET", (302, 302, 302, 404, LOGIN)),
    "campaigns:night-pack-pdf": ("GET", (302, 302, 302, 404, LOGIN)),
    "campaigns:nights": ("GET", CAMPAIGN),
    "campaigns:night-new": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:night": ("GET", CAMPAIGN),
    "campaigns:night-text": ("GET", CAMPAIGN),
    "campaigns:night-change": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:night-cancel": ("POST", (404, 409, 404, 404, LOGIN)),
    "campaigns:night-delete": ("POST", (404, 409, 404, 404, LOGIN)),
    "campaigns:night-answer": ("POST", (422, 422, 422, 404, LOGIN)),
    "campaigns:night-answers": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:night-results": ("GET", CAMPAIGN),
    "campaigns:night-pairings": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:night-feed": ("GET", PUBLIC),
    "campaigns:chronicle": ("GET", CAMPAIGN),
    "campaigns:standings-text": ("GET", CAMPAIGN),
    "campaigns:standings-pictures": ("GET", CAMPAIGN),
    "campaigns:standings-picture": ("GET", CAMPAIGN),
    "campaigns:spreadsheets": ("GET", CAMPAIGN),
    "campaigns:charts": ("GET", CAMPAIGN),
    "campaigns:records": ("GET", CAMPAIGN),
    "campaigns:trophies": ("GET", CAMPAIGN),
    "campaigns:trophy-new": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:trophy-award": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:trophy-delete": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:award-withdraw": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:seasons": ("GET", CAMPAIGN),
    "campaigns:next-season": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:open-postgames": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:season-link": ("POST", (404, 302, 404, 404, LOGIN)),
    "campaigns:player": ("GET", CAMPAIGN),
    "campaigns:standings": ("GET", CAMPAIGN),
    "campaigns:standings-pdf": ("GET", CAMPAIGN),
    "campaigns:standings-rules": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:adjust": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:adjustment-back": ("POST", (404, 404, 404, 404, LOGIN)),
    "campaigns:yearbook": ("GET", CAMPAIGN),
    "campaigns:yearbook-pdf": ("GET", CAMPAIGN),
    "campaigns:feed": ("GET", PUBLIC),
    "campaigns:league": ("GET", CAMPAIGN),
    "campaigns:stage-formats": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:stage-new": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:stage": ("GET", CAMPAIGN),
    "campaigns:stage-change": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:stage-pdf": ("GET", CAMPAIGN),
    "campaigns:watch-stage": ("GET", (302, 302, 302, 302, 200)),
    "campaigns:watch-stage-preview": ("GET", PUBLIC),
    "campaigns:stage-gangs": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:stage-drop-out": ("GET", (404, 404, 404, 404, LOGIN)),
    "campaigns:stage-end": ("POST", (404, 409, 404, 404, LOGIN)),
    "campaigns:stage-draw": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:stage-follow": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:challenge": ("POST", (422, 422, 422, 404, LOGIN)),
    "campaigns:round-change": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:round-entering": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:night-entering": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:fixture-add": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:fixture": ("GET", CAMPAIGN),
    "campaigns:fixture-arrange": ("GET", CAMPAIGN),
    "campaigns:fixture-change": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:csv": ("GET", PUBLIC),
    "campaigns:upgrade": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:upgrade-back": ("POST", (404, 404, 404, 404, LOGIN)),
    "campaigns:captives": ("GET", CAMPAIGN),
    "campaigns:bargain-back": ("GET", NOBODY_SIGNED_IN),
    "campaigns:game-strike": ("GET", (404, 200, 404, 404, LOGIN)),
    "campaigns:game-restore": ("GET", (404, 302, 404, 404, LOGIN)),
    "campaigns:captive-offer": ("GET", NOBODY_SIGNED_IN),
    "campaigns:captive-release": ("POST", (404, 422, 404, 404, LOGIN)),
    "campaigns:bargain-answer": ("POST", NOBODY_SIGNED_IN),
    "campaigns:prepare": ("GET", (302, 302, 404, 404, LOGIN)),
    # The game is confirmed: people may read its table, but record nothing more.
    "campaigns:game-play": ("GET", (302, 302, 302, 404, LOGIN)),
    "campaigns:game-throws": ("GET", CAMPAIGN),
    "campaigns:gang-play": ("GET", MINE),
    # Not in a game that takes two gangs: tests/games/test_together.py.
    "campaigns:gang-alone": ("POST", NOBODY_SIGNED_IN),
    "campaigns:table": ("GET", CAMPAIGN),
    "campaigns:table-story": ("GET", CAMPAIGN),
    # To the players of its game.
    "campaigns:table-throws": ("GET", (302, 302, 302, 404, 404)),
    "campaigns:table-since": ("GET", (204, 204, 204, 404, 404)),
    "campaigns:table-taps": ("POST", (404,) * 5),
    "campaigns:table-figure": ("GET", CAMPAIGN),
    "campaigns:table-attempt": ("GET", (404,) * 5),
    "campaigns:table-roll-for-all": ("POST", (404,) * 5),
    "campaigns:table-beforehand": ("GET", (404,) * 5),
    "campaigns:table-dice": ("GET", NOBODY_SIGNED_IN),
    # Tables without a campaign: campaigns/table/test_alone.py.
    "campaigns:table-join": ("GET", (404,) * 5),
    "campaigns:table-join-code": ("GET", (404,) * 5),
    "campaigns:table-place": ("POST", (404,) * 5),
    "campaigns:table-calls": ("POST", (404,) * 5),
    "campaigns:table-throw-away": ("POST", (404,) * 5),
    "campaigns:postgame": ("GET", (200, 200, 404, 404, LOGIN)),
    "campaigns:postgame-answer": ("POST", (422, 422, 404, 404, LOGIN)),
    "campaigns:postgame-correct": ("POST", (302, 302, 404, 404, LOGIN)),
    "campaigns:postgame-preview": ("GET", (302, 302, 404, 404, LOGIN)),
    "campaigns:postgame-commit": ("POST", (409, 409, 404, 404, LOGIN)),
}
ADMINISTRATORS: tuple[int | str, ...] = (404, 404, 404, 404, LOGIN)
ADDRESSES |= {
    f"administration:{name}": ("GET", ADMINISTRATORS)
    for name in (
        "overview",
        "accounts",
        "account",
        "account-act",
        "gangs",
        "gang",
        "picture",
        "photo",
        "gang-act",
        "campaigns",
        "campaign",
        "campaign-act",
        "variant",
        "variant-act",
        "draft",
        "draft-act",
        "game",
        "game-act",
        "night",
        "night-act",
        "reports",
        "report",
        "report-act",
        "jobs",
        "job",
        "job-act",
        "acts",
        "rulebooks",
        "rulebook",
        "rulebook-act",
        "upload",
        "backups",
    )
}
ADDRESSES["report-page"] = ("GET", PUBLIC)
# Addresses that take a form where they show it: the same people send an empty form.
POSTED: dict[str, tuple[int | str, ...]] = {
    "farewell": (422, 422, 422, 422, LOGIN),
    "rules:translations": (422, 422, 422, 422, 404),
    "rules:translation": (404,) * 5,
    "edit-site-page": NOBODY_SIGNED_IN,
    "site-invitations": NOBODY_SIGNED_IN,
    "api-pages:tokens": (422, 422, 422, 422, LOGIN),
    "push-renew": (422, 422, 422, 422, LOGIN),
    "gangs:new": (422,) * 5,
    "gangs:import": (422, 422, 422, 422, LOGIN),
    "gangs:import-list": (302, 302, 302, 302, LOGIN),
    "gangs:enter-code": (422,) * 5,
    "campaigns:import": (422, 422, 422, 422, LOGIN),
    "gangs:about": INVALID_POST,
    "gangs:names": (409, 404, 404, 404, 404),
    "gangs:member": (409, 404, 404, 404, 404),
    "gangs:own-items": MINE,
    # A print needs a kind; gangs/test_prints.py sends one.
    "gangs:prints": (404,) * 5,
    "gangs:portrait": (422, 404, 404, 404, LOGIN),
    "gangs:badge": (422, 404, 404, 404, LOGIN),
    "gangs:correct": (409, 409, 404, 404, 404),
    "gangs:add-entry": (422, 422, 404, 404, 404),
    "gangs:edit-entry": (422, 422, 404, 404, 404),
    "gangs:items": INVALID_POST,
    "gangs:stash": INVALID_POST,
    "gangs:upgrade": INVALID_POST,
    "gangs:copy": INVALID_POST,
    "gangs:delete": INVALID_POST,
    "rules:share": MINE_SIGNED_IN,
    "shelves:list": (422, 422, 422, 422, LOGIN),
    "shelves:shelf": MINE_SIGNED_IN,
    "shelves:game": (302, 404, 404, 404, LOGIN),
    "importing:start": (422, 422, 422, 422, LOGIN),
    "importing:notes": (302, 404, 404, 404, LOGIN),
    "importing:newer": (302, 404, 404, 404, LOGIN),
    "importing:merge": (404, 404, 404, 404, LOGIN),
    "editor:new": (422, 422, 422, 422, LOGIN),
    "editor:new-variant": (422, 422, 422, 422, LOGIN),
    "editor:import": (422, 422, 422, 422, LOGIN),
    "editor:names": (422, 404, 404, 404, LOGIN),
    "editor:languages": (422, 404, 404, 404, LOGIN),
    "editor:look": (422, 404, 404, 404, LOGIN),
    "editor:campaign": (422, 404, 404, 404, LOGIN),
    "editor:dice": (422, 404, 404, 404, LOGIN),
    "editor:dice-new": (422, 404, 404, 404, LOGIN),
    "editor:dice-roll": NOBODY_SIGNED_IN,
    "editor:publish": (409, 404, 404, 404, LOGIN),
    "editor:version": (302, 404, 404, 404, LOGIN),
    "editor:share": (422, 404, 404, 404, LOGIN),
    "editor:delete": (302, 404, 404, 404, LOGIN),
    "editor:row": (422, 404, 404, 404, LOGIN),
    "editor:single": (422, 404, 404, 404, LOGIN),
    "editor:add": (422, 404, 404, 404, LOGIN),
    "editor:paste": (422, 404, 404, 404, LOGIN),
    "editor:several": (422, 404, 404, 404, LOGIN),
    "campaigns:new": (422, 422, 422, 422, LOGIN),
    "campaigns:join": (422, 422, 422, 422, LOGIN),
    "campaigns:join-again": (422, 422, 422, 404, LOGIN),
    "campaigns:settings": (404, 422, 404, 404, LOGIN),
    "hooks:channels": (404, 422, 404, 404, LOGIN),
    "hooks:channel": (404, 422, 404, 404, LOGIN),
    # The world's game has open post-games, and is confirmed.
    "campaigns:archive": (404, 409, 404, 404, LOGIN),
    "campaigns:delete": (404, 422, 404, 404, LOGIN),
    "campaigns:depart": (422, 422, 422, 404, LOGIN),
    "campaigns:leave": (422, 422, 404, 404, LOGIN),
    "campaigns:upgrade": (404, 422, 404, 404, LOGIN),
    "campaigns:standings-rules": (404, 422, 404, 404, LOGIN),
    "campaigns:old-results": (404, 422, 404, 404, LOGIN),
    "campaigns:next-season": (404, 422, 404, 404, LOGIN),
    "campaigns:open-postgames": (404, 302, 404, 404, LOGIN),
    "campaigns:trophy-new": (404, 422, 404, 404, LOGIN),
    "campaigns:trophy-award": (404, 422, 404, 404, LOGIN),
    "campaigns:adjust": (404, 422, 404, 404, LOGIN),
    "campaigns:result-rules": (404, 409, 404, 404, LOGIN),
    "campaigns:game-new": (422, 422, 422, 404, LOGIN),
    "campaigns:game-plan": (302, 302, 302, 404, LOGIN),
    "campaigns:night-new": (404, 422, 404, 404, LOGIN),
    "campaigns:night-change": (404, 422, 404, 404, LOGIN),
    "campaigns:night-answers": (404, 302, 404, 404, LOGIN),
    "campaigns:night-pairings": (404, 422, 404, 404, LOGIN),
    "campaigns:stage-new": (404, 422, 404, 404, LOGIN),
    "campaigns:stage-change": (404, 422, 404, 404, LOGIN),
    # The stage of this world is no round robin; test_drop_outs asks in one.
    "campaigns:stage-drop-out": (404, 404, 404, 404, LOGIN),
    "campaigns:stage-draw": (404, 422, 404, 404, LOGIN),
    "campaigns:stage-follow": (404, 409, 404, 404, LOGIN),
    "campaigns:round-change": (404, 422, 404, 404, LOGIN),
    "campaigns:round-entering": (404, 422, 404, 404, LOGIN),
    "campaigns:night-entering": (404, 422, 404, 404, LOGIN),
    "campaigns:fixture-arrange": (422, 422, 422, 404, LOGIN),
    "campaigns:game-photo-add": (422, 422, 422, 404, LOGIN),
    "campaigns:game-report": (302, 422, 302, 404, LOGIN),
    "campaigns:captive-offer": NOBODY_SIGNED_IN,
    "campaigns:bargain-back": NOBODY_SIGNED_IN,
    "campaigns:game-strike": (404, 422, 404, 404, LOGIN),
    "campaigns:game-restore": (404, 302, 404, 404, LOGIN),
    "campaigns:prepare": (302, 302, 404, 404, LOGIN),
    "campaigns:game-play": (302, 302, 302, 404, LOGIN),
    "campaigns:game-throws": NOBODY_SIGNED_IN,
    "campaigns:gang-play": (302, 404, 404, 404, 404),
    "campaigns:table-throws": (302, 302, 302, 404, 404),
    "campaigns:table-figure": NOBODY_SIGNED_IN,
    "campaigns:table-attempt": (404,) * 5,
    "campaigns:table-dice": NOBODY_SIGNED_IN,
}
POSTED |= {name: ADMINISTRATORS for name in ADDRESSES if name.startswith("administration:")}
POSTED["report-page"] = (422,) * 5
# Pages that a holder of a campaign's watch link may read, with an account or without.
WATCHED = {
    "campaigns:campaign",
    "campaigns:career",
    "campaigns:game",
    "campaigns:game-text",
    "campaigns:game-pictures",
    "campaigns:game-photo",
    "campaigns:game-picture",
    "campaigns:nights",
    "campaigns:night",
    "campaigns:night-results",
    "campaigns:league",
    "campaigns:stage",
    "campaigns:stage-pdf",
    "campaigns:fixture",
    "campaigns:night-text",
    "campaigns:chronicle",
    "campaigns:standings-text",
    "campaigns:standings-pictures",
    "campaigns:standings-picture",
    "campaigns:spreadsheets",
    "campaigns:charts",
    "campaigns:records",
    "campaigns:trophies",
    "campaigns:seasons",
    "campaigns:player",
    "campaigns:standings",
    "campaigns:standings-pdf",
    "campaigns:yearbook",
    "campaigns:yearbook-pdf",
    "campaigns:table",
    "campaigns:table-story",
    "campaigns:table-figure",
    "campaigns:game-throws",
}
# Redirects to pages that they may read, and answers that there is nothing new.
WATCHED_ELSEWHERE = {
    "campaigns:game-play": 302,
    "campaigns:table-since": 204,
    "campaigns:table-throws": 302,
}
# Forms that find their subject for everybody who can read it, and then refuse: 422, a message, no
# 404.
REFUSING = {
    "campaigns:follow",
    "campaigns:game-plan",
    "campaigns:game-report",
    "campaigns:game-roles",
    "campaigns:game-settle",
    "campaigns:game-verdict",
    "campaigns:game-withdraw",
    "campaigns:night-answer",
    "campaigns:challenge",
    "campaigns:fixture-arrange",
}
# Pages that people may read without signing in, and that nobody can report: no player wrote them.
OF_THE_SITE = "by the site or its administrators"
BY_GAMES_AUTHORS = "about a rulebook of the site; one by players: tests/administration/reports"
UNREPORTED = {
    "no-connection": OF_THE_SITE,
    "privacy": OF_THE_SITE,
    "imprint": OF_THE_SITE,
    "guide:contents": OF_THE_SITE,
    "guide:chapter": OF_THE_SITE,
    "api-docs:documentation": OF_THE_SITE,
    "rules:books": "a list of games, each with a page",
    "rules:book": BY_GAMES_AUTHORS,
    "rules:chapter": BY_GAMES_AUTHORS,
    "rules:introduction": BY_GAMES_AUTHORS,
    "rules:version-introduction": BY_GAMES_AUTHORS,
    "rules:search": BY_GAMES_AUTHORS,
    "rules:odds": BY_GAMES_AUTHORS,
    "rules:translations": "a list of languages, with names of people who have accounts",
    "rules:version": BY_GAMES_AUTHORS,
    "rules:version-chapter": BY_GAMES_AUTHORS,
    "rules:version-search": BY_GAMES_AUTHORS,
    "rules:version-odds": BY_GAMES_AUTHORS,
    "gangs:front": "the front page",
    "gangs:choose-book": "a list of games, each with a page",
    "gangs:new": "a form for a gang of one's own",
    "gangs:enter-code": "a form",
    "report-page": "the form itself",
}
# Addresses of Django and allauth: the test only checks that they can be reached, since their rules
# are their own. The pages of Django's admin are tried in administration/data.
NOT_OURS = ("account_", "admin:", "mfa_", "set_language")


@pytest.fixture(scope="module")
def world(standing_rows: None) -> World:
    """Return the world, made once for all tests here: each of them works in a savepoint."""
    made = make_world()
    made.sign_in()
    return made


@pytest.fixture(scope="module")
def answered() -> set[tuple[bool, str]]:
    """Return the links that a visitor, or a stranger (True), has followed by a watch link: most
    pages have the same links, and each needs to be followed only once.
    """
    return set()


def test_every_address_is_in_the_table() -> None:
    names = {name for name, _ in patterns(get_resolver())}
    ours = {name for name in names if not name.startswith(NOT_OURS)}
    assert ours == set(ADDRESSES)


@pytest.mark.parametrize("name", ADDRESSES)
def test_each_address_answers_each_person_as_listed(name: str, world: World) -> None:
    method, expected = ADDRESSES[name]
    assert answers(world, name, method) == expected


@pytest.mark.parametrize("name", POSTED)
def test_each_form_answers_each_person_as_listed(name: str, world: World) -> None:
    assert answers(world, name, "POST") == POSTED[name]


EDITED = [
    name
    for name in ADDRESSES
    if name.startswith("editor:") and "document" in arguments_of(name) and name not in OF_GAMES
]


@pytest.mark.parametrize("name", EDITED)
def test_page_of_the_editor_answers_the_same_for_a_game(name: str, world: World) -> None:
    method, expected = ADDRESSES[name]
    if name in OF_VARIANTS:
        expected = NOBODY_SIGNED_IN
    assert answers(world, name, method, game=True) == expected


@pytest.mark.parametrize("name", sorted(OF_GAMES))
def test_page_of_a_game_is_not_found_for_a_variant(name: str, world: World) -> None:
    for method in ("GET", "POST"):
        assert answers(world, name, method, game=False) == NOBODY_SIGNED_IN


@pytest.mark.long
def test_every_address_that_takes_a_form_is_in_the_table(world: World) -> None:
    """An address that is read by GET and is not in the second table takes no form."""
    taking = {
        name
        for name, (method, _) in ADDRESSES.items()
        # Programs send no forms.
        if not name.startswith("api:")
        and method == "GET"
        and 405 not in iterate_answers(world, name, "POST")
    }
    assert taking == set(POSTED)


@pytest.mark.parametrize(
    "signed_in",
    [pytest.param(False, id="visitor"), pytest.param(True, id="stranger", marks=pytest.mark.long)],
)
@pytest.mark.parametrize("name", [name for name in ADDRESSES if name.startswith("campaigns:")])
def test_watch_link_opens_only_pages_to_read(
    name: str, signed_in: bool, world: World, answered: set[tuple[bool, str]]
) -> None:
    """They read the campaign and change nothing; all other addresses stay closed to them."""
    method, expected = ADDRESSES[name]
    address = world.address_of(name)
    client = world.client_of("stranger" if signed_in else "visitor")
    # A browser is only redirected.
    browser = {"Sec-Fetch-Mode": "navigate"}
    client.get(reverse("campaigns:watch", args=[world.campaign.watch_key]), headers=browser)
    response = client.get(address) if method == "GET" else client.post(address)
    if name in WATCHED_ELSEWHERE:
        assert response.status_code == WATCHED_ELSEWHERE[name]
        assert "/accounts/login/" not in response.get("Location", "")
    elif name in WATCHED:
        assert response.status_code == 200
        # A print is not text.
        page = response.content.decode(errors="replace")
        assert world.campaign.invite_key not in page and "@example.org" not in page
        for link in links(page):
            if (signed_in, link) not in answered:
                assert client.get(link).status_code in (200, 302), link
                answered.add((signed_in, link))
        forms = set(re.findall(r'action="([^"]*)"', page))
        assert forms <= {"/language/", "/theme/", "/accounts/logout/", world.following, world.book}
    elif not signed_in:
        assert expected[4] == LOGIN or response.status_code == expected[4]
        assert expected[4] != LOGIN or "/accounts/login/" in response["Location"]
    elif name not in REFUSING:
        assert response.status_code == expected[3]


# Addresses that people may read without signing in, some of them by a link.
STRANGERS = [name for name, (_, people) in ADDRESSES.items() if people[4] == 200 or name in WATCHED]


def test_exceptions_from_reporting_are_pages_that_strangers_may_read() -> None:
    assert set(UNREPORTED) <= set(STRANGERS)


@pytest.mark.parametrize("name", STRANGERS)
def test_each_page_that_strangers_may_read_can_be_reported(name: str, world: World) -> None:
    """Its link opens a form that names the page's subject. People who can change the page have
    none."""
    address, visitor = world.address_of(name), world.client_of("visitor")
    visitor.get(
        reverse("campaigns:watch", args=[world.campaign.watch_key]),
        headers={"Sec-Fetch-Mode": "navigate"},
    )
    response = visitor.get(address)
    assert response.status_code == 200
    if not response["Content-Type"].startswith("text/html"):
        # For programs, printers and other pages.
        assert name not in UNREPORTED
        return
    assert report_links(response) == ([] if name in UNREPORTED else [f"/report{address}"])
    if name in UNREPORTED:
        return
    form = visitor.get(f"/report{address}")
    subject = world.gang if name.startswith("gangs:") else world.campaign
    assert form.status_code == 200 and subject.name in html.unescape(form.content.decode())
    holder = "owner" if name.startswith("gangs:") else "organiser"
    assert report_links(world.client_of(holder).get(address)) == []


def report_links(response: Any) -> list[str]:
    """Return the links of a page to forms by which pages are reported."""
    return re.findall(r'<a href="(/report/[^"]*)"', response.content.decode())


@pytest.mark.parametrize(
    "name",
    [name for name, row in ADDRESSES.items() if row in (("GET", MINE), ("GET", CAMPAIGN_READ))],
)
def test_owner_is_not_offered_to_report_pages_of_their_gang(name: str, world: World) -> None:
    response = world.client_of("owner").get(world.address_of(name))
    assert not response["Content-Type"].startswith("text/html") or report_links(response) == []


def links(page: str) -> set[str]:
    """Return the addresses on this site to which a page links."""
    found = set(re.findall(r'<a [^>]*href="(/[^"]*)"', page))
    return {html.unescape(link).partition("#")[0] for link in found}


def answers(
    world: World, name: str, method: str, *, game: bool | None = None
) -> tuple[int | str, ...]:
    """Return the answers that PEOPLE get. ``game``: as for ``World.address_of``."""
    return tuple(iterate_answers(world, name, method, game=game))


def iterate_answers(
    world: World, name: str, method: str, *, game: bool | None = None
) -> Iterator[int | str]:
    """Send the request as each of PEOPLE in turn; yield the answers one by one."""
    address = world.address_of(name, game=game)
    for person in PEOPLE:
        client = world.client_of(person)
        response = client.get(address) if method == "GET" else client.post(address)
        to_login = response.status_code == 302 and "/accounts/login/" in response["Location"]
        if response.streaming:
            # Django closes the file when the answer was read to its end.
            b"".join(response)
        yield LOGIN if to_login else response.status_code


# Programs send no cookies, so no other site can use a session there: 401, whatever the method.
FORMS = [
    name
    for name, (method, _) in ADDRESSES.items()
    if method == "POST" and not name.startswith("api:")
]


@pytest.mark.parametrize("name", FORMS)
def test_addresses_that_change_something_reject_get(name: str, world: World) -> None:
    address = world.address_of(name)
    assert world.client_of("owner").get(address).status_code in (302, 404, 405)


@pytest.mark.parametrize("name", FORMS)
def test_form_from_another_site_is_refused(name: str, world: World) -> None:
    address = world.address_of(name)
    assert world.client_of("owner", csrf=True).post(address).status_code == 403

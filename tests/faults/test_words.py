"""Exceptions that mean the site cannot work at present, and the messages for them."""

from __future__ import annotations

import errno
import sqlite3

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, ProgrammingError
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from skirmish.faults import Fault, fault_of
from skirmish.urls import handler500
from skirmish.urls import urlpatterns as real

FULL = sqlite3.OperationalError("database or disk is full")
FULL.sqlite_errorcode = 13
LOCKED_BY_A_CACHE = sqlite3.OperationalError("database is locked")
LOCKED_BY_A_CACHE.sqlite_errorcode = 262
NO_TABLE = sqlite3.OperationalError("no such table: gangs_gang")
NO_TABLE.sqlite_errorcode = 1


def django(kind: type[Exception], cause: Exception) -> Exception:
    """Return the exception that Django raises for a driver's exception."""
    error = kind(*cause.args)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (django(OperationalError, FULL), Fault.UNWRITABLE),
        (django(OperationalError, LOCKED_BY_A_CACHE), Fault.BUSY),
        (django(OperationalError, NO_TABLE), None),
        (django(OperationalError, psycopg.OperationalError("refused")), Fault.UNREACHABLE),
        (django(OperationalError, psycopg.errors.AdminShutdown()), Fault.UNREACHABLE),
        (django(OperationalError, psycopg.errors.TooManyConnections()), Fault.BUSY),
        (django(OperationalError, psycopg.errors.LockNotAvailable()), Fault.BUSY),
        (django(OperationalError, psycopg.errors.QueryCanceled()), Fault.BUSY),
        (django(OperationalError, psycopg.errors.DiskFull()), Fault.UNWRITABLE),
        (django(DatabaseError, psycopg.errors.ReadOnlySqlTransaction()), Fault.UNWRITABLE),
        (django(IntegrityError, psycopg.errors.UniqueViolation()), None),
        (django(ProgrammingError, psycopg.ProgrammingError("two placeholders")), None),
        (OSError(errno.ENOSPC, "No space left on device"), Fault.UNWRITABLE),
        (OSError(errno.EROFS, "Read-only file system"), Fault.UNWRITABLE),
        (PermissionError(errno.EACCES, "Permission denied"), Fault.UNWRITABLE),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
        (ZeroDivisionError(), None),
    ],
)
def test_fault_of_recognises_an_exception_and_its_consequences(
    error: Exception, fault: Fault | None
) -> None:
    assert fault_of(error) is fault
    # Also for an exception that it caused.
    try:
        try:
            raise error
        except Exception as first:
            raise RuntimeError("could not save") from first
    except RuntimeError as second:
        assert fault_of(second) is fault


def failing(request: HttpRequest, kind: str) -> HttpResponse:
    """A page that fails after the form's origin was checked."""
    _ = request.POST
    raise {
        "full": OSError(errno.ENOSPC, "No space left on device"),
        "gone": django(OperationalError, psycopg.OperationalError("connection refused")),
        "busy": django(OperationalError, LOCKED_BY_A_CACHE),
        "bug": ZeroDivisionError(),
    }[kind]


failing.login_required = False  # type: ignore[attr-defined]
urlpatterns = [path("failing/<slug:kind>/", failing), *real]
assert handler500


@pytest.fixture
def asking() -> Client:
    client = Client()
    client.raise_request_exception = False
    return client


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("kind", "english", "french", "again"),
    [
        ("full", "cannot store anything", "ne peut rien enregistrer", "120"),
        ("gone", "cannot reach its database", "base de données", "30"),
        ("busy", "very busy", "très sollicité", "5"),
    ],
)
def test_error_page_is_in_the_reader_s_language_without_a_query(
    asking: Client, kind: str, english: str, french: str, again: str
) -> None:
    # No database here: a query fails the test.
    for language, words in (("en", english), ("fr", french)):
        answer = asking.get(f"/failing/{kind}/", headers={"Accept-Language": language})
        assert answer.status_code == 503
        assert answer["Retry-After"] == again
        page = answer.content.decode()
        assert words in page and f'<html lang="{language}"' in page
        # The page needs only files that a web server has, and offers a way to try again.
        assert f'href="/failing/{kind}/"' in page
        assert 'href="/static/bare.css"' in page and "<script" not in page


@override_settings(ROOT_URLCONF=__name__)
def test_htmx_request_gets_a_sentence(asking: Client) -> None:
    answer = asking.get("/failing/full/", headers={"HX-Request": "true"})
    assert answer.status_code == 503
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content.decode().startswith("The site cannot store anything at the moment.")
    assert "<" not in answer.content.decode()


@override_settings(ROOT_URLCONF=__name__)
def test_bug_still_answers_500(asking: Client) -> None:
    answer = asking.get("/failing/bug/")
    assert answer.status_code == 500
    assert "We dropped the dice" in answer.content.decode()


@override_settings(ROOT_URLCONF=__name__)
def test_error_page_sends_the_typed_text_again_unchanged(asking: Client) -> None:
    typed = {"name": 'The "Drowned" <b>', "notes": "one\ntwo", "csrfmiddlewaretoken": "old"}
    page = asking.post("/failing/busy/?q=1", typed).content.decode()
    assert '<form method="post" action="/failing/busy/?q=1">' in page
    assert 'name="name" value="The &quot;Drowned&quot; &lt;b&gt;"' in page
    assert page.count('name="csrfmiddlewaretoken"') == 1 and 'value="old"' not in page
    for kept_out in ({"password1": "hush"}, {"notes": "x" * 200_000}):
        page = asking.post("/failing/busy/", kept_out).content.decode()
        assert "<form" not in page and "hush" not in page
        assert "Go back: it is usually still in the form" in page

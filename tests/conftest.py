"""Fixtures for every test, and the choice of tests that run on a database other than SQLite."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest import runner
from django.core.cache import cache
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import client
from django.utils import translation
from hypothesis import HealthCheck, settings
from pytest_django import DjangoDbBlocker

from accounts.models import User
from tests.jobs import in_threads  # noqa: F401 - A fixture.
from tests.random_cases import MANY
from tests.stack import with_room
from tests.trial import trial, trial_folder  # noqa: F401 - Fixtures.

# A busy machine is slow, which is no fault of the code. The examples are the same in every run,
# except in script/prove, which tries new ones each time.
settings.register_profile(
    "skirmish", deadline=None, derandomize=not MANY, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("skirmish")

# Tests of prints, whole seasons and permissions use the database like the others, but take long and
# would behave the same on any database.
SAME_ON_ANY = {"seasons", "sixth", "test_permissions.py", "test_translations.py"}
# The rooms of tests/printing; the tests of the line and the queue are beside them.
PRINTS = {"members", "sheets", "reference", "season", "pictures"}


def pytest_collection_finish() -> None:
    """Exempt everything loaded so far from garbage collection and collect seldom: scanning it takes
    a sixth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run each test as pytest does, with room on Python's stack."""
    return with_room(runner.pytest_runtest_protocol)(item, nextitem)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run only the tests that use the database when it is not SQLite: the others would do the same
    again.
    """
    if connection.vendor == "sqlite":
        return
    kept = [item for item in items if _asks_the_database(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _asks_the_database(item)])
    items[:] = kept


def _asks_the_database(item: pytest.Item) -> bool:
    parts = item.path.relative_to(item.config.rootpath).parts
    if SAME_ON_ANY & set(parts) or (parts[1] == "printing" and parts[2] in PRINTS):
        return False
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or any(
        name in fixtures for name in ("db", "transactional_db", "live_server")
    )


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Record every migration in a database whose tables were made from the models."""
    if connection.settings_dict["TEST"]["MIGRATE"]:
        return
    with django_db_blocker.unblock():
        recorder = MigrationRecorder(connection)
        recorder.ensure_schema()
        for app, name in MigrationLoader(connection).disk_migrations:
            recorder.record_applied(app, name)


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    """Clear the cache, which counts sign-in attempts: one test must not use up another's."""
    cache.clear()


@pytest.fixture(autouse=True)
def _language() -> None:
    """Reset the language, which a request leaves behind: no test uses that of the one before."""
    translation.deactivate()


@pytest.fixture(scope="session", autouse=True)
def _contexts_of_pages() -> None:
    """Return the page's own context: Django's test client copies the context of every part of a
    page.
    """
    keep = client.store_rendered_templates

    def keep_first(store: dict[str, Any], *args: Any, **values: Any) -> None:
        if "context" not in store:
            keep(store, *args, **values)

    client.store_rendered_templates = keep_first


@pytest.fixture(scope="module")
def standing_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Keep rows that a module's fixtures store by this until its last test is over; each of its
    tests works in a savepoint.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


def _user(name: str) -> User:
    return User.objects.create_user(name, f"{name}@example.org", "correct horse battery")


@pytest.fixture
def alice(db: None) -> User:
    """The owner of gangs."""
    return _user("alice")


@pytest.fixture
def bob(db: None) -> User:
    """The organiser of campaigns."""
    return _user("bob")


@pytest.fixture
def charlie(db: None) -> User:
    """A stranger."""
    return _user("charlie")

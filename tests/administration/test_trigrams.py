"""Indexes of trigrams for the administrators' searches."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from administration import search_indexes
from administration.monitoring import readiness

pytestmark = pytest.mark.django_db
if connection.vendor != "postgresql":
    # Only PostgreSQL has trigrams: ``script/test --postgres`` makes them.
    pytest.skip("needs PostgreSQL", allow_module_level=True)


def test_migration_makes_the_indexes_that_are_missing() -> None:
    assert search_indexes.find_missing() == []
    with connection.cursor() as cursor:
        cursor.execute("DROP EXTENSION pg_trgm CASCADE")
    assert search_indexes.find_missing() == list(search_indexes.NAMES)
    search_indexes.make_missing()
    assert search_indexes.find_missing() == []


def test_site_without_the_extension_works_and_says_so(
    caplog: pytest.LogCaptureFixture, admin_client: Client
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP EXTENSION pg_trgm CASCADE")
        cursor.execute("CREATE ROLE stranger")
        cursor.execute("SET LOCAL ROLE stranger")
        search_indexes.make_missing()
        cursor.execute("RESET ROLE")
    assert "permission denied" in caplog.text
    assert search_indexes.find_missing() == list(search_indexes.NAMES)
    report = readiness.searches()
    assert report.ok and "pg_trgm" in report.detail
    assert admin_client.get("/administration/gangs/?q=wolf").status_code == 200

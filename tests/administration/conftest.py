"""The administrators of the site."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Any) -> None:
    """Give each test its own folder for pictures, prints and archives."""
    settings.DATA_DIR = tmp_path / "site"
    settings.DATA_DIR.mkdir()


@pytest.fixture
def root(db: None) -> User:
    """An administrator with all rights."""
    return User.objects.create_superuser("root", "root@example.org", "correct horse battery")


@pytest.fixture
def helper(db: None) -> User:
    """An administrator whom root has appointed."""
    return User.objects.create_user("helper", password="correct horse battery", is_staff=True)


@pytest.fixture
def as_root(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


@pytest.fixture
def as_helper(helper: User) -> Client:
    client = Client()
    client.force_login(helper)
    return client

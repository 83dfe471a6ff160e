"""What every worker process needs, loaded once before they are made: they share its memory."""

from __future__ import annotations

import gc
import logging

from django.conf import settings
from django.contrib.auth.password_validation import get_default_password_validators
from django.db import Error, connections
from django.template import engines
from django.urls import reverse
from django.utils.translation import override

from rules.library import newest_books

logger = logging.getLogger(__name__)


def preload() -> None:
    """Load all texts, addresses, templates and rulebooks, and leave no connection for forks.

    What is loaded by now stays where it is: the garbage collector, which would touch all of it and
    so make every worker copy it, leaves it alone.
    """
    for language, _name in settings.LANGUAGES:
        with override(language):
            # Any one makes those of all pages.
            reverse("gangs:front")
    get_default_password_validators()
    templates = settings.BASE_DIR / "templates"
    for template in sorted(templates.rglob("*.html")):
        engines["django"].get_template(template.relative_to(templates).as_posix())
    try:
        newest_books()
    except Error as error:
        logger.warning("The rulebooks are not loaded ahead: %s", error)
    finally:
        disconnect()
    gc.collect()
    gc.freeze()


def disconnect() -> None:
    """Close all connections to databases, and pools with those that they keep.

    Two processes on one connection would get each other's answers.
    """
    for connection in connections.all(initialized_only=True):
        connection.close()
        # Only PostgreSQL's has one.
        close_pool = getattr(connection, "close_pool", None)
        if close_pool is not None:
            close_pool()

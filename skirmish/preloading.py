"""Loading data before workers fork, so that they share its memory."""

from __future__ import annotations

import gc
import logging

from django.conf import settings
from django.contrib.auth.password_validation import get_default_password_validators
from django.db import Error, connections
from django.template import engines
from django.urls import reverse
from django.utils.translation import override

from guide.chapters import guide
from rules.library import newest_books

logger = logging.getLogger(__name__)


def preload() -> None:
    """Load all translations, addresses, help, templates and rulebooks; leave no open connection.

    Everything loaded is then frozen: otherwise the garbage collector would touch it, and every
    worker would copy it.
    """
    for language, _name in settings.LANGUAGES:
        with override(language):
            # Reversing any address loads all of them.
            reverse("gangs:front")
            # Nearly every page has a link to a chapter of the guide.
            guide(language)
    get_default_password_validators()
    templates = settings.BASE_DIR / "templates"
    for template in sorted(templates.rglob("*.html")):
        engines["django"].get_template(template.relative_to(templates).as_posix())
    try:
        newest_books()
    except Error as error:
        logger.warning("Could not load the rulebooks ahead: %s", error)
    finally:
        disconnect()
    gc.collect()
    gc.freeze()


def disconnect() -> None:
    """Close all database connections and pools.

    Two processes that share a connection would receive each other's results.
    """
    for connection in connections.all(initialized_only=True):
        connection.close()
        # Only the PostgreSQL backend has a pool.
        close_pool = getattr(connection, "close_pool", None)
        if close_pool is not None:
            close_pool()

"""Loading data before workers fork, so that they share its memory."""

from __future__ import annotations

import gc
import logging
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.contrib.auth.password_validation import get_default_password_validators
from django.core.handlers.wsgi import WSGIRequest
from django.db import Error, connections
from django.template import engines
from django.urls import reverse
from django.utils.translation import override

from rules.library import newest_books

logger = logging.getLogger(__name__)
# Public pages that use most of the framework. Each worker copies 3 MB less if the master has
# answered them before.
PAGES = ("gangs:front", "account_login", "rules:books", "guide:contents")


def preload() -> None:
    """Load all translations, addresses, templates and rulebooks, and answer some pages; leave no
    open connection.

    Everything loaded is then frozen: otherwise the garbage collector would touch it, and every
    worker would copy it.
    """
    for language, _name in settings.LANGUAGES:
        with override(language):
            # Reversing any address loads all of them.
            reverse("gangs:front")
    get_default_password_validators()
    templates = settings.BASE_DIR / "templates"
    for template in sorted(templates.rglob("*.html")):
        engines["django"].get_template(template.relative_to(templates).as_posix())
    try:
        newest_books()
        answer_pages()
    except Error as error:
        logger.warning("Could not load the rulebooks ahead: %s", error)
    finally:
        disconnect()
    gc.collect()
    gc.freeze()


def answer_pages() -> None:
    """Answer ``PAGES`` for a visitor.

    No signals are sent: they would start threads, which forks do not have.
    """
    from skirmish.wsgi import application

    host = settings.ALLOWED_HOSTS[0].removeprefix(".")
    for name in PAGES:
        environ = {
            "PATH_INFO": reverse(name),
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost" if host == "*" else host,
            "wsgi.url_scheme": "https",
        }
        setup_testing_defaults(environ)
        application.get_response(WSGIRequest(environ))


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

"""Everything that is stored, to be looked at and never to be changed: Django's admin, read only.

What administrators may do has pages of its own, where it is asked why. Here they find what no other
page shows: the rows of ledgers, games, notices. What opens a door (passwords, keys of links) is
left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.db.models import CharField, Field, ForeignKey, Model, QuerySet, TextField
from django.http import HttpRequest
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy

from administration.access import administrators_only

APPS = ("accounts", "rules", "gangs", "campaigns", "administration", "common", "account")
# Whoever knows one of these gets in somewhere: a mail may bring the link for a new password.
SECRETS = {
    *("password", "share_key", "share_code", "watch_key", "invite_key", "token", "key", "body"),
    # Whoever knows this knows what the dice will show.
    "dice_secret",
}
# Texts of a megabyte, which no page shows.
LONG = {"canonical", "overlay", "snapshot", "draft"}
MOST_COLUMNS = 6


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Model]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnly(ModelAdmin):
    """A table to be looked at. Its columns are the model's own."""

    show_full_result_count = False
    view_on_site = False
    list_per_page = 50
    # Columns that are not even read, of the rows and of those shown with them.
    unread: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """The rows without their long texts: fifty with a rulebook each would be megabytes."""
        return super().get_queryset(request).defer(*self.unread)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Every administrator looks at everything."""
        return bool(request.user.is_active and request.user.is_staff)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As above."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds anything."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody changes anything."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes anything."""
        return False


def _options(model: type[Model]) -> dict[str, Any]:
    """What is shown of a model, what is searched, and in which order its rows come."""
    hidden = {field.name for field in model._meta.concrete_fields} & (SECRETS | LONG)
    fields = [field for field in model._meta.concrete_fields if field.name not in hidden]
    columns = [field.name for field in fields if not isinstance(field, TextField)]
    others = [field for field in fields if isinstance(field, ForeignKey) and not field.null]
    return {
        "unread": (
            *_long(model),
            *(f"{field.name}__{name}" for field in others for name in _long(field.related_model)),
        ),
        "exclude": sorted(hidden),
        "list_display": ("__str__", *[name for name in columns if name != "id"][:MOST_COLUMNS]),
        "search_fields": _searched(fields),
        "list_select_related": [field.name for field in others],
        "ordering": model._meta.ordering or ("-pk",),
    }


def _long(model: Any) -> list[str]:
    """Its columns with long texts."""
    return [field.name for field in model._meta.concrete_fields if field.name in LONG]


def _searched(fields: Sequence[Field[Any, Any]]) -> list[str]:
    """Names and such; keys by the whole of them."""
    words = [field.name for field in fields if isinstance(field, CharField)]
    return [*words, *(f"{field.name}__exact" for field in fields if field.primary_key)]


class Browsing(admin.AdminSite):
    """Django's admin under the site's own sign-in: whoever is no administrator finds nothing."""

    site_header = site_title = settings.SITE_NAME
    index_title = gettext_lazy("Everything that is stored")
    enable_nav_sidebar = False
    final_catch_all_view = False

    def get_urls(self) -> list[Any]:
        """Without the pages for signing in and out and for passwords, which the site has itself."""
        own = {"login", "logout", "password_change", "password_change_done", "view_on_site"}
        urls = [url for url in super().get_urls() if getattr(url, "name", "") not in own]
        for url in urls:
            if url.callback is not None:
                url.callback.login_url = reverse_lazy(settings.LOGIN_URL)  # type: ignore[attr-defined]
        return urls

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Every page of this is for administrators only."""
        return administrators_only(super().admin_view(view, cacheable))


browsing = Browsing()
for label in APPS:
    for table in apps.get_app_config(label).get_models():
        browsing.register(table, ReadOnly, **_options(table))

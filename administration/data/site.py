"""Data pages: every stored row, read-only, in Django's admin.

Administrators act on separate pages, which ask for a reason. These pages show rows that no other
page shows, such as entries, games and notices. ``administration.data.hidden`` lists the columns
that lists, searches, filters and sorting leave out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.views.main import PAGE_VAR
from django.db.models import CharField, Field, ForeignKey, Model, QuerySet, TextField
from django.http import HttpRequest
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy

from administration.access import administrators_only
from administration.data.hidden import hidden_columns, is_browsable, is_hidden, may_look_up
from administration.totals import TotalsPaginator

APPS = (
    "accounts",
    "rules",
    "gangs",
    "campaigns",
    "outbound",
    "api",
    "administration",
    "common",
    "account",
)
MOST_COLUMNS = 6


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Model]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnly(ModelAdmin):
    """A read-only table with the model's columns."""

    show_full_result_count = False
    view_on_site = False
    list_per_page = 50
    show_facets = admin.ShowFacets.NEVER
    actions = None
    # Hidden columns of these rows and of related rows shown with them.
    unread: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """Defer hidden columns: fifty rows with a rulebook each would be megabytes."""
        return super().get_queryset(request).defer(*self.unread)

    def get_paginator(
        self, request: HttpRequest, queryset: QuerySet[Model], per_page: int, *_more: Any, **_: Any
    ) -> TotalsPaginator:
        """Keep the totals of large tables for a minute."""
        asked = tuple(sorted(item for item in request.GET.items() if item[0] != PAGE_VAR))
        return TotalsPaginator(queryset, per_page, (self.model._meta.label, asked))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Reject a filter on a hidden column or on another table's column.

        Otherwise the rows that match would reveal the column letter by letter.
        """
        return may_look_up(self.model, lookup)

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        """Address rows by their primary key only."""
        return to_field == self.opts.pk.name

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow all administrators to view."""
        return bool(request.user.is_active and request.user.is_staff)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Allow all administrators to view."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Forbid adding."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Forbid changing."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Forbid deleting."""
        return False


def _options(model: type[Model]) -> dict[str, Any]:
    """Return the admin options of a model: shown, hidden and searched columns, and the order."""
    hidden = hidden_columns(model)
    fields = [field for field in model._meta.concrete_fields if not is_hidden(field)]
    columns = [field.name for field in fields if not isinstance(field, TextField)]
    shown = [name for name in columns if name != "id"][:MOST_COLUMNS]
    others = [
        field
        for field in fields
        if isinstance(field, ForeignKey) and (field.name in shown or not field.null)
    ]
    return {
        "unread": (
            *hidden,
            *(
                f"{one.name}__{name}"
                for one in others
                for name in hidden_columns(one.related_model)
            ),
        ),
        "exclude": hidden,
        "list_display": ("__str__", *shown),
        "search_fields": _searched(fields),
        "list_select_related": [field.name for field in others],
        "ordering": model._meta.ordering or ("-pk",),
    }


def _searched(fields: Sequence[Field[Any, Any]]) -> list[str]:
    """Return the searched fields: texts, and primary keys as exact matches."""
    words = [field.name for field in fields if isinstance(field, CharField)]
    return [*words, *(f"{field.name}__exact" for field in fields if field.primary_key)]


class Browsing(admin.AdminSite):
    """Django's admin behind the site's own sign-in; users who are not administrators get 404."""

    site_header = site_title = settings.SITE_NAME
    index_title = gettext_lazy("Everything that is stored")
    enable_nav_sidebar = False
    final_catch_all_view = False

    def get_urls(self) -> list[Any]:
        """Drop the admin's sign-in and password pages, and the pages that are only needed for
        changes.
        """
        own = {"login", "logout", "password_change", "password_change_done", "view_on_site"}
        left_out = {*own, "autocomplete"}
        urls = [url for url in super().get_urls() if getattr(url, "name", "") not in left_out]
        for url in urls:
            if url.callback is not None:
                url.callback.login_url = reverse_lazy(settings.LOGIN_URL)  # type: ignore[attr-defined]
        return urls

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """List the tables, with “entries” where Django says “entrys”."""
        listed = super().get_app_list(request, app_label)
        for table in (table for app in listed for table in app["models"]):
            table["name"] = re.sub(r"(?<![aeiou])ys$", "ies", str(table["name"]))
        return listed

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Restrict every admin page to administrators."""
        return administrators_only(super().admin_view(view, cacheable))


browsing = Browsing()
for label in APPS:
    for table in filter(is_browsable, apps.get_app_config(label).get_models()):
        browsing.register(table, ReadOnly, **_options(table))

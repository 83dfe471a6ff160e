"""Everything that is stored, to be looked at and never to be changed: Django's admin, read only.

What administrators may do has pages of its own, where it is asked why. Here they find what no other
page shows: the rows of ledgers, games, notices. ``administration.data.hidden`` names the columns
that are left out, of lists, searches, filters and sorting alike.
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
from administration.data.hidden import hidden_columns, is_browsable, is_hidden, may_look_up

APPS = ("accounts", "rules", "gangs", "campaigns", "administration", "common", "account")
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
    show_facets = admin.ShowFacets.NEVER
    actions = None
    # Hidden columns, of the rows and of those shown with them.
    unread: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """The rows without their hidden columns: fifty with a rulebook each would be megabytes."""
        return super().get_queryset(request).defer(*self.unread)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Refuse a filter that touches a hidden column or another table's: whether a row appears
        would spell the column out."""
        return may_look_up(self.model, lookup)

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        """Address rows by their primary key only."""
        return to_field == self.opts.pk.name

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
        """Without the pages for signing in and out and for passwords, which the site has itself,
        and without those that only serve changing."""
        own = {"login", "logout", "password_change", "password_change_done", "view_on_site"}
        left_out = {*own, "autocomplete"}
        urls = [url for url in super().get_urls() if getattr(url, "name", "") not in left_out]
        for url in urls:
            if url.callback is not None:
                url.callback.login_url = reverse_lazy(settings.LOGIN_URL)  # type: ignore[attr-defined]
        return urls

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Every page of this is for administrators only."""
        return administrators_only(super().admin_view(view, cacheable))


browsing = Browsing()
for label in APPS:
    for table in filter(is_browsable, apps.get_app_config(label).get_models()):
        browsing.register(table, ReadOnly, **_options(table))

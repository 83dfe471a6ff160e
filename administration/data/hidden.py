"""The columns that the data pages hide: secrets, and texts too long for a page.

A hidden column is not shown, searched, filtered or sorted by there.
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models import ForeignKey
from django.db.models.constants import LOOKUP_SEP

# Columns, in any table, whose value lets its reader in somewhere or foretells dice.
SECRETS = {
    # Accounts: a mail can carry the link for a new password.
    "password",
    "body",
    # Links and forms.
    "share_key",
    "share_code",
    "watch_key",
    "invite_key",
    "token",
    "key",
    "code",
    # A token of the API, and the address of a browser at its push service, as their sums.
    "digest",
    # A browser that shows notices: these let people send it messages.
    "endpoint",
    "p256dh",
    "auth",
    "session_mark",
    # The address of a channel, and the secret that signs its messages.
    "secret_url",
    "signing_secret",
    # A phone at a table, and the site's dice.
    "device",
    "dice_secret",
    # An entry of the shared cache, whatever part of the site stored it.
    "value",
}
# Columns with up to a megabyte of text.
LONG = {"canonical", "overlay", "snapshot", "draft"}
# Columns whose names resemble a secret's, with the reason why they are shown.
OPEN = {
    # The page's name, as its address has it.
    "accounts.SitePage.key",
    # The sums of public rulebooks.
    "rules.BookVersion.digest",
    "rules.RemovedVersion.digest",
    # Numbers: which seed a throw was drawn from, and how many seeds the site has published.
    "campaigns.Throw.seed",
    "campaigns.TableThrow.seed",
    "campaigns.Side.seeds_shown",
    # A gang's place in the draw of a stage.
    "campaigns.Entrant.seed",
    "campaigns.Table.seeds_shown",
    # A season's name in files, which opens nothing.
    "campaigns.Campaign.season_key",
    "campaigns.Campaign.previous_key",
    # How often an account was signed out everywhere.
    "accounts.User.session_round",
    # The name of a row of the shared cache.
    "common.CacheEntry.cache_key",
    # The number of a phone's tap.
    "campaigns.TableEntry.device_seq",
}
# Searching by a pattern can keep a processor busy for hours.
REFUSED_LOOKUPS = {"regex", "iregex"}


def is_hidden(field: Any) -> bool:
    """Whether the data pages hide a column; so they do if it refers to a hidden one."""
    if isinstance(field, ForeignKey):
        return is_hidden(field.target_field)
    return field.name in SECRETS | LONG and f"{field.model._meta.label}.{field.name}" not in OPEN


def hidden_columns(model: Any) -> list[str]:
    """The names of a table's hidden columns."""
    return [field.name for field in model._meta.concrete_fields if is_hidden(field)]


def is_browsable(model: Any) -> bool:
    """Whether the data pages have this table: its rows' addresses would show a hidden key."""
    return not is_hidden(model._meta.pk)


def may_look_up(model: Any, lookup: str) -> bool:
    """Whether a lookup, as in ``?name__startswith=``, reads only a shown column of this table.

    A relation leads no further than to the primary key of the other table: it is stored in this
    one. ``pk`` is resolved like any other name, since it may be a relation itself.
    """
    parts = lookup.split(LOOKUP_SEP)
    if not REFUSED_LOOKUPS.isdisjoint(parts):
        return False
    for place, part in enumerate(parts):
        try:
            field = model._meta.pk if part == "pk" else model._meta.get_field(part)
        except FieldDoesNotExist:
            # After a relation: how it is compared.
            return place > 0
        if not getattr(field, "concrete", False) or field.many_to_many or is_hidden(field):
            return False
        if place and not field.primary_key:
            return False
        if field.remote_field is None:
            # The rest of the path is only the comparison.
            return True
        model = field.remote_field.model
    return True

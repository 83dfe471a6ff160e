"""The option that decides a gang's origin, kept in step with new origins.

An origin is of use only if an option has a choice of the same key, and the game names that option.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext, gettext_noop, override

from common.wording.texts import needed
from rules.editor.data import languages_of
from rules.editor.forms import key_for
from rules.editor.places import Data, Written, fill_defaults, model_of, source_of_new


def offer_origins(written: Written, keys: Iterable[str], *, is_variant: bool) -> None:
    """Let gangs choose these new origins: add them to the option for the gang's origin, or make
    that option. An option of another kind stays as it is."""
    origins = written.rows("origins")
    new = [{"key": key, "name": origins[key]["name"]} for key in keys if "name" in origins[key]]
    known = written.data.get("origin_setting")
    setting = written.row("settings", str(known)) if known else None
    if setting is None:
        # A variant's changes are rows, so it cannot name an option for the origin.
        if not is_variant:
            _make_option(written, new)
    elif isinstance(setting.get("choices"), list | tuple):
        taken = {one.get("key") for one in setting["choices"] if isinstance(one, dict)}
        added = [choice for choice in new if choice["key"] not in taken]
        written.tables["settings"][str(known)] = {
            **setting,
            "choices": [*setting["choices"], *added],
        }


def _make_option(written: Written, choices: list[Data]) -> None:
    """Make the option, which every gang chooses for itself, with a choice of no origin."""
    if not choices:
        return
    key = key_for("origin", written.rows("settings"))
    nothing = key_for("none", [one["key"] for one in choices])
    row: Data = {
        "key": key,
        "kind": "choice",
        "name": _in_each(written, gettext_noop("Origin")),
        "text": _in_each(written, gettext_noop("The people or faction that the gang belongs to.")),
        "gang_only": True,
        "choices": [
            {"key": nothing, "name": _in_each(written, gettext_noop("No origin"))},
            *choices,
        ],
        "default": choices[0]["key"],
        "source": source_of_new(written),
    }
    model = model_of("settings", row)
    assert model is not None
    written.tables["settings"][key] = fill_defaults(model, row)
    written.data["origin_setting"] = key


def _in_each(written: Written, message: str) -> Data:
    """Return a message in each language of the game's texts."""
    found = {}
    for language in needed(languages_of(written.data)):
        with override(language):
            found[language] = gettext(message)
    return found

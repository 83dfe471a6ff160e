"""Static files under names that say what is in them, so that browsers may keep them for ever."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # It has no types.
    """The imports of scripts lead to such names, too, as addresses in styles do."""

    support_js_module_import_aggregation = True
    # A pass may settle only one link of a chain of imports.
    max_post_process_passes = 12

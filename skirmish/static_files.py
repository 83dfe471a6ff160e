"""Static files named after their content, so that browsers may keep them forever."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # It has no types.
    """Static files with hashed names, also in the imports of scripts."""

    support_js_module_import_aggregation = True
    # One pass may resolve only one link of an import chain.
    max_post_process_passes = 12

"""Links from pages to the chapters of the guide that explain them."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.language import language
from guide.chapters import guide

register = template.Library()


@register.simple_tag
def help_link(slug: str) -> SafeString:
    """A small link to a chapter of the guide. Raises LookupError if there is no such chapter."""
    chapter = guide(language()).chapter(slug)
    if chapter is None:
        raise LookupError(f"The guide has no chapter “{slug}”")
    return format_html(
        '<a class="help-link" href="{}" title="{}"><span class="help-word">{}</span>'
        '<span class="visually-hidden"> {}</span></a>',
        chapter.get_absolute_url(),
        chapter.title,
        _("Help"),
        f"({chapter.title})",
    )

"""What the pages about versions of the rules need."""

from __future__ import annotations

from django import template

from gangs.wording import rules_name

register = template.Library()
register.filter("rules_name", rules_name)

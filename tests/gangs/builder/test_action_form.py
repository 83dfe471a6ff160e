"""The shared attributes of every form that htmx sends."""

from __future__ import annotations

import uuid

from django.template import Context, Template

GANG = uuid.UUID(int=1)
ADDRESS = f"/gangs/{GANG}/members/3/points/"


def rendered(tag: str) -> str:
    return Template("{% load skirmish %}" + tag).render(Context({"gang": GANG}))


def test_action_form_takes_its_target_from_the_surrounding_page() -> None:
    assert rendered('{% action_form "gangs:points" gang 3 %}') == (
        f'method="post" action="{ADDRESS}" hx-post="{ADDRESS}"'
    )


def test_action_form_replaces_a_named_target() -> None:
    assert rendered('{% action_form "gangs:points" gang 3 target="#play" %}') == (
        f'method="post" action="{ADDRESS}" hx-post="{ADDRESS}"'
        ' hx-target="#play" hx-swap="outerHTML"'
    )

"""What every form has in common that htmx sends."""

from __future__ import annotations

import uuid

from django.template import Context, Template

GANG = uuid.UUID(int=1)
ADDRESS = f"/gangs/{GANG}/members/3/points/"


def rendered(tag: str) -> str:
    return Template("{% load skirmish %}" + tag).render(Context({"gang": GANG}))


def test_action_form_leaves_the_target_to_the_page_around_it() -> None:
    assert rendered('{% action_form "gangs:points" gang 3 %}') == (
        f'method="post" action="{ADDRESS}" hx-post="{ADDRESS}"'
    )


def test_a_form_whose_answer_stands_in_place_of_its_target() -> None:
    assert rendered('{% action_form "gangs:points" gang 3 target="#play" %}') == (
        f'method="post" action="{ADDRESS}" hx-post="{ADDRESS}"'
        ' hx-target="#play" hx-swap="outerHTML"'
    )

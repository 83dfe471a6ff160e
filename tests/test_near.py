"""``script/test --near`` finds the tests that belong to a change."""

from __future__ import annotations

from tests.near import find_tests


def test_a_changed_module_brings_the_tests_of_its_room_and_of_its_importers() -> None:
    found = find_tests(["rules/engine/dice.py"])
    assert "tests/rules/engine/test_dice.py" in found
    # One floor up, of a module that throws dice.
    assert "tests/campaigns/engine/test_advancement.py" in found
    assert "tests/accounts/test_quotas.py" not in found


def test_a_changed_template_brings_the_tests_of_its_room() -> None:
    found = find_tests(["templates/campaigns/table/board.html"])
    assert "tests/campaigns/table/test_page.py" in found
    assert "tests/gangs/pages/test_sharing.py" not in found


def test_a_changed_helper_of_tests_brings_the_tests_that_use_it() -> None:
    assert "tests/campaigns/table/test_fold.py" in find_tests(["tests/world/tables.py"])


def test_a_changed_test_brings_itself_only() -> None:
    assert find_tests(["tests/test_near.py"]) == ["tests/test_near.py"]


def test_a_change_of_prose_brings_nothing() -> None:
    assert find_tests(["README.md", "docs/running.md", "gone.py"]) == []

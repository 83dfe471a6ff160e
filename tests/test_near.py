"""``script/test --near`` finds the tests that belong to a change."""

from __future__ import annotations

from tests.near import find_tests


def test_changed_module_selects_tests_of_its_room_and_of_its_importers() -> None:
    found = find_tests(["rules/engine/dice.py"])
    assert "tests/rules/engine/test_dice.py" in found
    # In an app one floor up that imports the module.
    assert "tests/campaigns/engine/test_advancement.py" in found
    assert "tests/accounts/test_quotas.py" not in found


def test_changed_template_selects_tests_of_its_room() -> None:
    found = find_tests(["templates/campaigns/table/board.html"])
    assert "tests/campaigns/table/test_page.py" in found
    assert "tests/gangs/pages/test_sharing.py" not in found


def test_changed_test_helper_selects_the_tests_that_import_it() -> None:
    assert "tests/campaigns/table/test_fold.py" in find_tests(["tests/world/tables.py"])


def test_changed_test_selects_only_itself() -> None:
    assert find_tests(["tests/test_near.py"]) == ["tests/test_near.py"]


def test_changed_prose_selects_no_test() -> None:
    assert find_tests(["README.md", "docs/running.md", "gone.py"]) == []

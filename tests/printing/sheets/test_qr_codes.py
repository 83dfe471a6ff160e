"""QR codes on prints: made once for each address, and never all kept."""

from __future__ import annotations

from printing.members.drawings import qr_code


def test_qr_code_does_not_contain_the_link_as_text() -> None:
    code = qr_code("https://gangs.example/s/a1b2c3/", "This sheet on the web")
    assert code.startswith("<svg") and "a1b2c3" not in code
    assert "<title>This sheet on the web</title>" in code


def test_qr_code_is_made_once_for_an_address() -> None:
    first = qr_code("https://gangs.example/s/once/", "Here")
    assert qr_code("https://gangs.example/s/once/", "Here") is first


def test_qr_codes_of_old_addresses_are_dropped() -> None:
    first = qr_code("https://gangs.example/s/first/", "Here")
    for number in range(100):
        qr_code(f"https://gangs.example/s/{number}/", "Here")
    assert qr_code("https://gangs.example/s/first/", "Here") is not first

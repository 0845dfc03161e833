# SPDX-License-Identifier: MIT
"""Names that would control a terminal, or change how the text around them is displayed."""

HOSTILE = {
    "clear": "ada\x1b[2J\x1b[1;1Hroot",
    "title": "ada\x1b]0;owned\x07",
    "c1": "ada\x9b2Jroot",
    "delete": "ada\x7f\x08\x08\x08bob",
    "line": "ada\nSigned out: bob",
    "return": "ada\rbob",
    "zero": "ada\x00bob",
    "override": "ada\u202ebob\u202c",
    "isolate": "ada\u2066bob\u2069",
    "separator": "ada\u2028bob\u2029eve",
}


def steering(text):
    """The characters of a text that a terminal would obey, without line feeds."""
    return {
        character for character in text
        if (ord(character) < 0x20 and character != "\n") or 0x7F <= ord(character) <= 0x9F
        or 0x202A <= ord(character) <= 0x202E or 0x2066 <= ord(character) <= 0x2069
        or ord(character) in (0x2028, 0x2029, 0x200E, 0x200F, 0x061C)
    }

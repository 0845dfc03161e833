# SPDX-License-Identifier: MIT
"""The files that Contoso Mail's window is installed with."""

import os
import subprocess
from pathlib import Path

IDENTIFIER = "com.contoso.mail"


def test_the_desktop_opens_the_scheme_with_the_window_and_doctor_is_content(installed, suite):
    handler = subprocess.check_output(["gio", "mime", f"x-scheme-handler/msauth.{IDENTIFIER}"], text=True)
    assert f"{IDENTIFIER}.desktop" in handler.splitlines()[0]
    checks = {check["name"]: check["status"] for check in suite.do("doctor")["checks"]}
    assert checks[f"manifest:{IDENTIFIER}"] == checks[f"scheme:{IDENTIFIER}"] == "ok"


def test_the_icon_of_the_desktop_file_is_installed(installed):
    icons = Path(os.environ["XDG_DATA_HOME"], "icons/hicolor")
    assert (icons / f"scalable/apps/{IDENTIFIER}.svg").is_file()
    assert (icons / f"symbolic/apps/{IDENTIFIER}-symbolic.svg").is_file()

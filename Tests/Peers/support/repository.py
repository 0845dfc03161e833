# SPDX-License-Identifier: MIT
"""Where things are in this repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "Scripts/support"
SUPPORT = Path(__file__).resolve().parent

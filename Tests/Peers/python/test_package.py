# SPDX-License-Identifier: MIT
"""The wheel of the Python package."""

import ast
import os
import subprocess
import sys
import zipfile

import pytest

import contoso_report
from repository import ROOT

PACKAGE = ROOT / "Python"
MODULES = sorted((PACKAGE / "src/secretstorecache").glob("*.py"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-c",
         "import os, setuptools.build_meta as backend, sys; os.chdir(sys.argv[1]); backend.build_wheel(sys.argv[2])",
         copied(folder / "source"), folder],
        check=True, timeout=120, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def copied(folder):
    """A build leaves files in the sources."""
    for path in [PACKAGE / "pyproject.toml", PACKAGE / "README.md", *MODULES, MODULES[0].with_name("py.typed")]:
        copy = folder / path.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return folder


def test_the_wheel_is_pure_typed_and_has_every_module(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if name.startswith("secretstorecache/")}
        [metadata] = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
        text = opened.read(metadata).decode()
    assert names == {f"secretstorecache/{path.name}" for path in MODULES} | {"secretstorecache/py.typed"}
    required = {line.partition(": ")[2] for line in text.splitlines() if line.startswith("Requires-Dist")}
    assert {name.partition(">")[0] for name in required} == {"jeepney", "msal"}
    assert "Requires-Python: >=3.9" in text


def test_the_example_runs_with_the_installed_package(wheel, tmp_path):
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path, wheel],
        check=True, timeout=120)
    done = subprocess.run(
        [sys.executable, contoso_report.__file__], env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "contoso_report.py sign-in" in done.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_each_module_is_of_python_3_9(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    # What is evaluated when the module is imported, other than annotations, which are texts.
    assert "from __future__ import annotations" in path.read_text() or path.name == "__init__.py"
    assert not [node for node in ast.walk(tree) if isinstance(node, getattr(ast, "Match", ()))]

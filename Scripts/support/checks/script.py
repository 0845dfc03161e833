# SPDX-License-Identifier: MIT
"""Loads a script of this folder, which has no extension, as a module."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True


def load(name):
    loader = SourceFileLoader(name.replace("-", "_"), str(Path(__file__).resolve().parent / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module

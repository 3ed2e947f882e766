"""Attention weights that a reader brings, without anything they come from."""

from dataclasses import dataclass
from functools import lru_cache

from attnviz.core.checks.check import Check, differences, not_applicable, worst

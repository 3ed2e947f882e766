"""The library's face: what it offers, in one place and in the open."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import attnviz.core
from attnviz.core import errors

ROOMS = sorted(
    name for _, name, is_room in pkgutil.iter_modules(attnviz.core.__path__) if is_room
)
README = Path(__file__).parents[2] / "README.md"
CHAPTER = README.read_text("utf-8").split("## The core on its own")[1].split("\n## ")[0]
EXAMPLE = re.search(r"```python\n(.*?)```", CHAPTER, re.DOTALL)[1]
# The functions and classes that the design promises to code from outside.
PROMISED = """
softmax causal_mask padding_mask window_mask sparse_mask combine_masks attend
AttentionTrace dot_scores bilinear_scores additive_scores MultiHeadParameters
multi_head_attend MultiHeadTrace multi_head_attend_by_list split_heads merge_heads
split_fused sinusoidal_positions positions_from_valid learned_positions rotate
alibi_slopes alibi_bias relative_bias layer_norm NormTrace rms_norm batch_norm
feed_forward encoder_layer EncoderLayerTrace decoder_layer DecoderLayerTrace
vocabulary_logits KeyValueCache decode_step banded_attend tiled_attend linear_attend
attend_backward AttentionGradients softmax_backward layer_norm_backward
multi_head_backward Check check_attention check_layer_norm diagnose_attention
diagnose_layer_norm Diagnosis Candidate head_patterns derive Derivation ShapeError
MaskError EmptyRowError
"""


def room_of(name: str) -> ModuleType:
    return importlib.import_module(f"attnviz.core.{name}")


def open_modules(room: str) -> list[ModuleType]:
    """Import the modules of a room whose names have no underscore."""
    names = [info.name for info in pkgutil.iter_modules(room_of(room).__path__)]
    return [room_of(f"{room}.{name}") for name in names if not name.startswith("_")]


def own_names(module: ModuleType) -> set[str]:
    """Name the functions and classes that a module defines without an underscore."""
    return {
        name
        for name, thing in vars(module).items()
        if (inspect.isclass(thing) or inspect.isroutine(inspect.unwrap(thing)))
        and thing.__module__ == module.__name__
        and not name.startswith("_")
    }


def test_everything_that_is_promised_is_offered():
    assert set(attnviz.core.__all__) >= set(PROMISED.split())


@pytest.mark.parametrize("room", [None, *ROOMS])
def test_offers_are_sorted_and_there(room):
    module = attnviz.core if room is None else room_of(room)
    assert module.__all__ == sorted(set(module.__all__))
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("name", attnviz.core.__all__)
def test_every_offer_is_documented_with_an_example(name):
    text = inspect.getdoc(getattr(attnviz.core, name))
    assert ">>> " in text or re.search(rf"\b{name}\b", EXAMPLE)


def test_the_readme_names_every_function_and_none_that_is_not_there():
    named = set(re.findall(r"`([a-z]\w*)`", CHAPTER))
    functions = {n for n in attnviz.core.__all__ if n.islower()}
    assert named == functions


def test_the_example_of_the_readme_runs():
    found = {}
    exec(EXAMPLE, found)
    assert found["step"].output.shape == (1, 8)
    assert found["cache"].length == 5


def test_the_face_shows_its_offers_and_its_rooms_and_nothing_else():
    shown = {name for name in dir(attnviz.core) if not name.startswith("_")}
    assert shown == {*attnviz.core.__all__, *ROOMS, "errors"}


def test_the_face_offers_what_the_rooms_offer():
    rooms = [room_of(room) for room in ROOMS]
    offered = {name: getattr(room, name) for room in rooms for name in room.__all__}
    offered |= {name: getattr(errors, name) for name in own_names(errors)}
    for name in attnviz.core.__all__:
        assert getattr(attnviz.core, name) is offered[name]


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_does_not_offer_begins_with_an_underscore(room):
    offered = set(room_of(room).__all__)
    for module in open_modules(room):
        is_offered = module.__name__.rpartition(".")[2] in offered
        assert is_offered or own_names(module) <= offered


def test_a_name_of_an_open_module_is_found():
    assert "Forgotten" in own_names(importlib.import_module(__name__))


class Forgotten:
    """What a room might forget to offer."""

"""The example that shows matrices of one's own."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.example.edits import Edit
from attnviz.example.own import OwnData
from attnviz.example.own.data import FIRST_GROUP
from attnviz.example.settings import OWN, SETTINGS, Example
from attnviz.example.sources.fixed import GivenWeights

# What an export tells besides its matrices that still holds for them.
_KEPT = tuple(name for name, setting in SETTINGS.items() if setting.decided != "shape")


def own_example(
    own: OwnData,
    settings: Mapping[str, Any] | None = None,
    *,
    layer: int = 0,
    group: str = FIRST_GROUP,
) -> Example:
    """Make the example that shows matrices of one's own.

    Parameters
    ----------
    own : OwnData
        The matrices.
    settings : mapping of str to Any, optional
        Settings that an export wrote down, from anyone: with them the numbers are
        those of the export. Those that cannot be are left out. Learned parts of one
        score among the matrices decide for that score.
    layer, group : int, str
        Which layer of weights alone is shown, counted from 0, and which of its heads.

    Returns
    -------
    example : Example
        With the sizes of the matrices.
    """
    sizes = own.fixed_at(layer, group).sizes
    example = Example(
        length=sizes.n_queries,
        key_length=sizes.key_length,
        n_heads=sizes.n_heads,
        d_model=sizes.d_model,
        d_k=sizes.d_k,
        d_v=sizes.d_v,
        matrices=OWN,
        own=own,
        layer=layer,
        head_group=group,
    )
    if isinstance(own.fixed, GivenWeights):
        return example
    settings = settings or {}
    kept = {name: settings[name] for name in _KEPT if name in settings}
    kept["edits"] = _mask_edits(settings.get("edits"))
    if own.scoring is not None:
        kept["scoring"] = own.scoring
    for name, value in kept.items():
        try:
            example = replace(example, **{name: value})
        except (SettingError, TypeError):
            continue
    return example


def _mask_edits(sent: object) -> tuple[Edit, ...]:
    """Take what was drawn into the mask; all other edits stand in their matrices."""
    edits = sent if isinstance(sent, list) else []
    try:
        return tuple(
            Edit("mask", tuple(edit["index"]), edit["value"])
            for edit in edits
            if edit["name"] == "mask"
        )
    except (SettingError, TypeError, KeyError):
        return ()

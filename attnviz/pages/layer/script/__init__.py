"""The script of the Layer page."""

from attnviz.pages.layer.script.whole import layer_script

__all__ = ["layer_script"]

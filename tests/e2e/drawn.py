"""What the canvas of a figure says when it is drawn again."""

# Each text with its place and its size; after that, the cells that stay without one.
WRITTEN = """
(graph) => {
  const view = attnviz.viewOf(document.querySelector(`[data-graph="${graph}"]`));
  const written = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    written.push({ text, x, y, size: parseFloat(this.font) });
  };
  attnviz.drawCells(view);
  CanvasRenderingContext2D.prototype.fillText = fillText;
  const { cell } = view.geometry;
  const textsOf = ({ name, rows, columns, rect, hidden }) => {
    const texts = Array(rows * columns).fill(null);
    for (const { text, x, y, size } of written) {
      const [i, j] = [Math.floor((y - rect.y) / cell), Math.floor((x - rect.x) / cell)];
      const isInside = i >= 0 && j >= 0 && i < rows && j < columns;
      if (isInside) texts[i * columns + j] = [text, size];
    }
    return [name, texts.filter((_, at) => !hidden?.[at])];
  };
  const texts = written.map(({ text }) => text);
  return { cell, texts, cells: Object.fromEntries(view.panels.map(textsOf)) };
}
"""


def written(one, graph):
    """Read what a figure writes.

    Returns
    -------
    drawn : dict
        "cell", the side of a cell in px; "texts", all that is written; "cells", for
        each matrix the text and its size in px of every cell that is not hidden, row
        by row, None where there is none.
    """
    return one.page.evaluate(WRITTEN, graph)


def numbers_in(texts):
    """Give the magnitudes among texts, as they are written."""
    return {text.removeprefix("\u2212") for text in texts if text[-1:].isdigit()}

"""Compare what two screenshots show, and see which layer drew it."""

import base64
from dataclasses import dataclass

COMPARE = """
async ([one, other]) => {
  const pixels = async (bytes) => {
    const image = new Image();
    image.src = `data:image/png;base64,${bytes}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height).data;
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.length !== b.length) return null;
  let [sum, far] = [0, 0];
  for (let at = 0; at < a.length; at++) {
    const difference = Math.abs(a[at] - b[at]);
    sum += difference;
    if (difference > 24) far += 1;
  }
  return [sum / a.length, far / a.length];
}
"""
COVERED = """
(name) => {
  const cells = document.querySelector(`[data-graph='${name}'] canvas.figure-cells`);
  const copy = document.createElement("canvas");
  copy.width = cells.width;
  copy.height = cells.height;
  const pen = copy.getContext("2d", { willReadFrequently: true });
  pen.drawImage(cells, 0, 0);
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  let covered = 0;
  for (let at = 3; at < data.length; at += 4) covered += data[at] === 255;
  return (4 * covered) / data.length;
}
"""
# Without the exact drawing a figure stays as it is while values move.
HOLD = """
() => {
  watched.drawExactly = attnviz.drawExactly;
  attnviz.drawExactly = () => new Promise(() => {});
}
"""
LET_GO = """
() => {
  attnviz.drawExactly = watched.drawExactly;
  attnviz.redrawAll();
}
"""


@dataclass(frozen=True)
class Difference:
    """How two pictures of one size differ, over all channels of all pixels."""

    mean: float
    share_of_far: float


def picture(visit, name):
    """Photograph a figure."""
    visit.page.mouse.move(0, 0)
    return visit.page.locator(f"[data-graph='{name}']").first.screenshot()


def compare(visit, one, other):
    """Compare two photographs; those of unequal sizes differ wholly."""
    texts = [base64.b64encode(picture).decode("ascii") for picture in (one, other)]
    found = visit.page.evaluate(COMPARE, texts)
    return Difference(*found) if found else Difference(255, 1)


def covered(visit, name):
    """Tell which share of a figure its moving layer fills."""
    return visit.page.evaluate(COVERED, name)


def hold(visit):
    """Keep figures in their moving state from the next change on."""
    visit.page.evaluate(HOLD)


def let_go(visit):
    """Draw exactly what has been held, and again from now on."""
    visit.page.evaluate(LET_GO)
    visit.rest()

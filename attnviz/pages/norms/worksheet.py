"""A sheet of paper with the normalization on screen, and its key."""

from attnviz.example.norms import NormExampleTrace
from attnviz.export.exercise import DECIMALS, norm_exercise, norm_section, too_large
from attnviz.export.paper import Writer


def norm_worksheet(trace: NormExampleTrace, writer: Writer) -> str:
    """Write the sheet of the Layer norm page.

    Returns
    -------
    document : str
        As `attention_worksheet`.
    """
    exercise = norm_exercise(trace.norm, trace.tokens)
    if exercise is None:
        return writer.document("norms", [too_large(writer)])
    x = writer.matrix(trace.screen(), "norm_input", exercise.norm.x, decimals=DECIMALS)
    given = writer.section(writer.words("export.sheet.given"), "", [x])
    return writer.document("norms", [given, norm_section(exercise, writer)])

"""A Shiny page with nothing on it: what no app can undercut."""

from shiny import App, Inputs, Outputs, Session, ui


def server(input: Inputs, output: Outputs, session: Session) -> None:
    """Answer nothing."""


app = App(ui.page_fluid(), server)

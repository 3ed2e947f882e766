"""One Shiny module a page."""

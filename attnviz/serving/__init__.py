"""What stands between Shiny and the network."""

"""Page Check mine."""

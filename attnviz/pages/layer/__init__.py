"""Page: Transformer layers, along the stream that runs through them."""

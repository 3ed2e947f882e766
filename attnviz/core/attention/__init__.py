"""Scaled dot-product attention: scores, masks, softmax, heads."""

"""Page: masks, mistakes, and what gives them away."""

"""Page: self-attention, stage by stage."""

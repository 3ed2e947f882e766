"""The mistakes on screen: their code, the numbers it is shown on, what comes out."""

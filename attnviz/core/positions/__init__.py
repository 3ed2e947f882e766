"""How positions are told apart: tables, rotations, biases."""

"""What is on screen: settings, and all that is computed from them; NumPy alone."""

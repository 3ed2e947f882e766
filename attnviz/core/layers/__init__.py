"""What stands around attention: norms, networks, residual sums, decoding."""

"""What a layer costs: counted, drawn, and step by step."""

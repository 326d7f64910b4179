"""The parts of mqdgen."""

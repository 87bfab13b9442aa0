"""What the subjects share: ready memory, contenders, interleaved timing, bounds, tables and pictures."""

"""`python -m stridecore.checkpoint FILE`: the tensors of a checkpoint, as a table or as JSON."""

import argparse
import sys


def parser():
    made = argparse.ArgumentParser(
        prog="python -m stridecore.checkpoint",
        description="Show the tensors of a checkpoint, without reading their data and without running its code.",
    )
    made.add_argument("file", metavar="FILE", help="a .pt, .pth, .ckpt, .bin or .safetensors file; its content decides")
    made.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return made


def main(argv=None):
    parser().parse_args(argv)
    return 0


if __name__ == "__main__":
    sys.exit(main())

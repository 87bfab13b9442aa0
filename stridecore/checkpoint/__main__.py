"""`python -m stridecore.checkpoint FILE`: the tensors of a checkpoint, as a table or as JSON."""

import argparse
import os
import sys


def parser():
    made = argparse.ArgumentParser(
        prog="python -m stridecore.checkpoint",
        description="Show the tensors of a checkpoint, without reading their data and without running its code.",
    )
    made.add_argument("file", metavar="FILE", help="a .pt, .pth, .ckpt, .bin or .safetensors file; its content decides")
    made.add_argument("--json", action="store_true", help="print JSON instead of a table")
    made.add_argument(
        "--convert",
        metavar="OUT",
        help="write the tensors to OUT.safetensors, OUT.pt or OUT.npz instead; nothing that is in OUT before is lost "
        "until that is complete",
    )
    return made


def show(options):
    from stridecore import checkpoint
    from stridecore.checkpoint.table import as_table, as_values

    with checkpoint.open(options.file) as opened:
        if options.json:
            import json

            print(json.dumps(as_values(opened), indent=1))
        else:
            for line in as_table(opened):
                print(line)


def main(argv=None):
    """The exit status: 1 for a file that can't be read."""
    from stridecore.checkpoint import CheckpointError
    from stridecore.checkpoint.table import printable

    options = parser().parse_args(argv)
    refusals = (CheckpointError, OSError)
    if options.convert:
        refusals += (TypeError, ValueError)  # a tensor, or a suffix, that can't be written
    try:
        if options.convert:
            from stridecore.checkpoint.convert import convert

            print(printable(convert(options.file, options.convert)))
        else:
            show(options)
        sys.stdout.flush()
    except BrokenPipeError:  # `… | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except refusals as error:
        print(printable(str(error)), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Makes the capture recordings of this folder.

usage: python3 captures/record.py [NAME...]      (needs Bumble: pip install bumble)

Without a name all of them are made. Each plays a Bluetooth LE device and a phone in this process, over a virtual
radio, and writes what crossed the phone's HCI to NAME.btsnoop beside this file. It runs in real time, some ten seconds
each. Random values come from fixed seeds, so a new run says the same things; times differ, and with them how packets
interleave and how many samples motion-stream holds.
"""

import asyncio
import logging
import pathlib
import sys

from recording import heart_strap, motion_stream, serial_bridge, stage, thermo_logger

RECORDINGS = {
    "heart-strap": heart_strap,
    "thermo-logger": thermo_logger,
    "motion-stream": motion_stream,
    "serial-bridge": serial_bridge,
}


def main(names):
    unknown = [name for name in names if name not in RECORDINGS]
    if unknown:
        sys.exit(f"no such recording: {', '.join(unknown)} (there are: {', '.join(RECORDINGS)})")
    logging.basicConfig(level=logging.ERROR)
    for name in names or RECORDINGS:
        path = pathlib.Path(__file__).parent / f"{name}.btsnoop"
        records = asyncio.run(asyncio.wait_for(stage.record(path, *RECORDINGS[name].cast()), 120))
        print(f"{path.name}: {records} records, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])

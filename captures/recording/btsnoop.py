"""A btsnoop file writer: the log a phone keeps of everything that crosses its HCI."""

import struct
import time

H4_DATALINK = 1002
# Microseconds from 0000-01-01 (the btsnoop epoch) to 1970-01-01 (the Unix epoch).
UNIX_EPOCH = 0x00DCDDB30F2F8000

COMMAND, ACL, EVENT = 0x01, 0x02, 0x04


class SnoopLog:
    """Writes each packet with its direction and the microsecond it was seen.

    Has the one method Bumble's host calls on a snooper. File: identification(8) version(4) datalink(4), then records of
    original length(4) included length(4) flags(4) drops(4) time(8) packet, all big-endian.
    """

    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(b"btsnoop\0" + struct.pack(">II", 1, H4_DATALINK))
        # One reading of the wall clock, then a clock that never steps back.
        self.start = time.time_ns() - time.monotonic_ns()
        self.records = 0

    def snoop(self, packet, direction):
        kind = packet[0]
        flags = (1 if direction else 0) | (2 if kind in (COMMAND, EVENT) else 0)
        microseconds = (self.start + time.monotonic_ns()) // 1000 + UNIX_EPOCH
        self.file.write(struct.pack(">IIIIQ", len(packet), len(packet), flags, 0, microseconds) + packet)
        self.records += 1

    def close(self):
        self.file.close()

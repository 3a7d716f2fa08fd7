"""Reads btsnoop files and prints what they hold; fails on a record that is not well formed.

usage: python3 captures/check.py [FILE...]      (needs nothing but Python; shares no code with the recorder)
"""

import collections
import pathlib
import struct
import sys

ATT = {
    0x01: "Error Response", 0x02: "Exchange MTU Request", 0x03: "Exchange MTU Response",
    0x04: "Find Information Request", 0x05: "Find Information Response", 0x06: "Find By Type Value Request",
    0x07: "Find By Type Value Response", 0x08: "Read By Type Request", 0x09: "Read By Type Response",
    0x0A: "Read Request", 0x0B: "Read Response", 0x0C: "Read Blob Request", 0x0D: "Read Blob Response",
    0x10: "Read By Group Type Request", 0x11: "Read By Group Type Response", 0x12: "Write Request",
    0x13: "Write Response", 0x16: "Prepare Write Request", 0x17: "Prepare Write Response",
    0x18: "Execute Write Request", 0x19: "Execute Write Response", 0x1B: "Handle Value Notification",
    0x1D: "Handle Value Indication", 0x1E: "Handle Value Confirmation", 0x52: "Write Command",
}


def records(data):
    """Yields (flags, microseconds, packet), checking lengths, flags and that time never goes back."""
    identification, version, datalink = struct.unpack_from(">8sII", data)
    assert (identification, version, datalink) == (b"btsnoop\0", 1, 1002), "not a btsnoop file of HCI UART packets"
    offset, previous = 16, 0
    while offset < len(data):
        original, included, flags, drops, time = struct.unpack_from(">IIIIQ", data, offset)
        packet = data[offset + 24:offset + 24 + included]
        assert original == included == len(packet) and drops == 0, f"cut record at {offset}"
        assert time >= previous, f"time goes back at {offset}"
        kind, sent = packet[0], not flags & 1
        assert kind in (1, 2, 4) and bool(flags & 2) == (kind != 2), f"flags {flags} at {offset}"
        assert sent if kind == 1 else not sent if kind == 4 else True, f"direction {flags} at {offset}"
        length = {1: lambda: 4 + packet[3], 2: lambda: 5 + struct.unpack_from("<H", packet, 3)[0],
                  4: lambda: 3 + packet[2]}[kind]()
        assert length == len(packet), f"packet length at {offset}"
        yield flags, time, packet
        offset, previous = offset + 24 + included, time


def survey(path):
    count, links, reports, partial = 0, [], collections.Counter(), {}
    att, first = collections.Counter(), None
    outstanding = collections.defaultdict(lambda: None)
    for flags, time, packet in records(path.read_bytes()):
        count, first = count + 1, first or time
        sent = not flags & 1
        if packet[0] == 4 and packet[1] == 0x3E and packet[3] in (0x02, 0x0D):
            reports["extended" if packet[3] == 0x0D else "legacy"] += packet[4]
        elif packet[0] == 4 and packet[1] == 0x3E and packet[3] in (0x01, 0x0A):
            status, handle = packet[4], struct.unpack_from("<H", packet, 5)[0]
            address = packet[9:15][::-1].hex(":")
            links.append({"handle": handle, "status": status, "address": address, "att": collections.Counter()})
        elif packet[0] == 4 and packet[1] == 0x05:
            handle, reason = struct.unpack_from("<HB", packet, 4)
            next(l for l in reversed(links) if l["handle"] == handle)["reason"] = reason
            partial.clear()
            outstanding.clear()
        elif packet[0] == 2:
            head, _ = struct.unpack_from("<HH", packet, 1)
            handle, boundary = head & 0x0FFF, head >> 12 & 3
            key = (handle, sent)
            assert boundary == 1 if key in partial else boundary in (0, 2), "fragment out of place"
            frame = partial.pop(key, b"") + packet[5:]
            length, channel = struct.unpack_from("<HH", frame)
            if len(frame) < length + 4:
                partial[key] = frame
                continue
            assert len(frame) == length + 4, "L2CAP frame too long"
            if channel != 4:
                continue
            link = next(l for l in reversed(links) if l["handle"] == handle)
            assert "reason" not in link, "data after the disconnection"
            opcode = frame[4]
            link["att"]["sent" if sent else "received"] += 1
            att[opcode] += 1
            # One request at a time a direction, and each response answers it.
            if opcode in (0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18, 0x1D):
                assert outstanding[key] is None, "two requests at once"
                outstanding[key] = frame[4:]
            elif opcode not in (0x1B, 0x52):
                request = outstanding.pop((handle, not sent))
                expected = frame[5] if opcode == 0x01 else opcode - 1
                assert request[0] == expected, f"response {opcode:02X} to request {request[0]:02X}"
                assert opcode != 0x17 or frame[5:] == request[1:], "Prepare Write Response is no echo"
    print(f"{path.name}: {count} records, {path.stat().st_size} bytes, {(time - first) / 1e6:.1f} s, "
          + ", ".join(f"{n} {kind} advertising reports" for kind, n in reports.items()))
    for link in links:
        reason = f"reason 0x{link['reason']:02X}" if "reason" in link else "still up"
        print(f"  link 0x{link['handle']:04X} to {link['address']}: ATT {link['att']['sent']} sent,"
              f" {link['att']['received']} received, {reason}")
    print(f"  ATT {sum(att.values())}: " + ", ".join(
        f"{ATT.get(opcode, hex(opcode))} {number}" for opcode, number in sorted(att.items())))


def main(names):
    paths = [pathlib.Path(name) for name in names] or sorted(pathlib.Path(__file__).parent.glob("*.btsnoop"))
    for path in paths:
        survey(path)


if __name__ == "__main__":
    main(sys.argv[1:])

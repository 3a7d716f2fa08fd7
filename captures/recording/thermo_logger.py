"""Thermo Logger: a thermometer that indicates, with a long note to read and write and requests it refuses."""

import asyncio
import random
import struct

from bumble import att
from bumble.gatt import CharacteristicValue

from .stage import COMMAND, INDICATE, READ, WRITE, Part, Setting, characteristic, connected, service

NAME = "Thermo Logger"
SETTING = Setting(seed=2, handles=(0x0001,), acl_length=27, interval=22.5)
LOGGER_SERVICE = "8D2B0001-19E6-4C0A-B2F4-60C7A95D3E18"
NOTE = "8D2B0002-19E6-4C0A-B2F4-60C7A95D3E18"  # read, write: 230 bytes
KEY = "8D2B0003-19E6-4C0A-B2F4-60C7A95D3E18"  # write only: reading is refused
MARK = "8D2B0004-19E6-4C0A-B2F4-60C7A95D3E18"  # write without response
OUT_OF_RANGE = 0x80


class Thermometer:
    """The device: one temperature each interval while someone listens."""

    def __init__(self):
        self.randomness = random.Random(22)
        self.celsius, self.minute, self.interval, self.marks = 36.4, 0, 1, []
        self.note = bytes(self.randomness.choice(b"abcdefghijklmnopqrstuvwxyz ") for _ in range(230))
        self.measurement = characteristic("2A1C", INDICATE)
        self.measurement.on("subscription", self.listen)
        self.part = Part(NAME, "C9:04:6B:2E:91:5D", appearance=0x0300, mtu=23, advertised=["1809"], services=[
            service("1809", self.measurement, characteristic("2A1D", READ, b"\x02"),
                    characteristic("2A21", READ | WRITE, CharacteristicValue(
                        read=lambda _: struct.pack("<H", self.interval), write=self.set_interval))),
            service(LOGGER_SERVICE,
                    characteristic(NOTE, READ | WRITE, CharacteristicValue(
                        read=lambda _: self.note, write=lambda _, value: setattr(self, "note", bytes(value)))),
                    characteristic(KEY, WRITE, CharacteristicValue(read=self.refuse, write=lambda _, value: None)),
                    characteristic(MARK, COMMAND, CharacteristicValue(
                        write=lambda _, value: self.marks.append(bytes(value))))),
        ])

    def refuse(self, _):
        raise att.ATT_Error(att.ATT_READ_NOT_PERMITTED_ERROR)

    def set_interval(self, _, value):
        if len(value) != 2:
            raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        if not 1 <= struct.unpack("<H", value)[0] <= 3600:
            raise att.ATT_Error(OUT_OF_RANGE)
        self.interval = struct.unpack("<H", value)[0]

    def listen(self, connection, _, indicate):
        if indicate:
            asyncio.create_task(self.measure(connection))

    async def measure(self, connection):
        while connected(connection):
            await asyncio.sleep(0.4)
            try:
                await connection.device.indicate_subscriber(connection, self.measurement, self.reading())
            except asyncio.CancelledError:
                return

    def reading(self):
        """flags(1) temperature(4, a FLOAT with exponent -2) time(7) type(1)."""
        self.celsius += self.randomness.uniform(-0.1, 0.2)
        self.minute += 1
        mantissa = round(self.celsius * 100)
        return (b"\x06" + struct.pack("<i", (mantissa & 0xFFFFFF) | (-2 << 24))
                + struct.pack("<HBBBBB", 2026, 3, 14, 9, self.minute, 0) + b"\x02")


async def script(phone, device, air):
    link = await phone.connect(await phone.find(NAME))  # The MTU stays at 23: nobody asks for more.
    await link.peer.discover_all()
    await link.read("2A1D")
    readings = await link.subscribe("2A1C", indications=True)
    await link.take(readings, 2)

    # Long read, long write, and the long read again to see the change; indications go on all the while.
    await link.read(NOTE)
    text = random.Random(23)
    await link.write(NOTE, bytes(text.choice(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ ") for _ in range(230)))
    await link.read(NOTE)

    # A long write given up after two parts changes nothing.
    note = link.handle(NOTE)
    for offset in (0, 18):
        await link.request(att.ATT_Prepare_Write_Request(
            attribute_handle=note, value_offset=offset, part_attribute_value=bytes([0x2D] * 18)))
    await link.request(att.ATT_Execute_Write_Request(flags=0x00))

    # Refusals: a value that may not be read, a measurement interval out of range, then one within it.
    await link.request(att.ATT_Read_Request(attribute_handle=link.handle(KEY)))
    interval = link.handle("2A21")
    await link.request(att.ATT_Write_Request(attribute_handle=interval, attribute_value=b"\x00\x00"))
    await link.write(interval, b"\x05\x00")
    await link.read(interval)
    await link.command(MARK, b"\x01lunch")
    await link.take(readings, readings.qsize() + 2)
    await link.write(link.handle("2A1C") + 1, b"\x00\x00")
    await link.disconnect()


def cast():
    return SETTING, Thermometer().part, script, [Part("Kitchen Scale", "D2:40:9C:E1:08:36", advertised=["181D"])]

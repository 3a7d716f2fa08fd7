"""Heart Strap: a chest strap that beats, loses its link once and is found again."""

import asyncio
import random
import struct

from bumble import att
from bumble.gatt import CharacteristicValue

from .stage import COMMAND, NOTIFY, READ, WRITE, Part, Setting, characteristic, connected, service

NAME = "Heart Strap"
SETTING = Setting(seed=1, handles=(0x0040, 0x0041), acl_length=27, interval=30)
TUNING_SERVICE = "5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70"
TUNING_COMMAND = "5A0E0002-7C43-4D1B-9E0F-3B1D6E8A2C70"
TUNING_REPLY = "5A0E0003-7C43-4D1B-9E0F-3B1D6E8A2C70"
BEAT = 0.25  # seconds between two notifications
CONTROL_POINT_NOT_SUPPORTED = 0x80


class Strap:
    """The device: measures while someone listens, and answers each tuning command with the command's counter."""

    def __init__(self):
        self.randomness = random.Random(11)
        self.energy, self.beats, self.rate, self.listeners = 120, 0, 68, {}
        self.measurement = characteristic("2A37", NOTIFY)
        self.measurement.on("subscription", self.listen)
        self.battery = characteristic("2A19", READ | NOTIFY, b"\x57")
        self.reply = characteristic(TUNING_REPLY, NOTIFY)
        self.part = Part(NAME, "E3:5A:11:0C:77:42", appearance=0x0341, mtu=247, advertised=["180D", "180F"], services=[
            service("180D", self.measurement, characteristic("2A38", READ, b"\x01"),
                    characteristic("2A39", WRITE, CharacteristicValue(write=self.control))),
            service("180F", self.battery),
            service("180A", characteristic("2A29", READ, b"Understudy Works"), characteristic("2A24", READ, b"HS-2"),
                    characteristic("2A26", READ, b"1.4.0")),
            service(TUNING_SERVICE, characteristic(TUNING_COMMAND, COMMAND, CharacteristicValue(write=self.tune)),
                    self.reply),
        ])

    def listen(self, connection, notify, _):
        if notify:
            self.listeners[connection] = asyncio.create_task(self.beat(connection))
        elif task := self.listeners.pop(connection, None):
            task.cancel()

    async def beat(self, connection):
        while connected(connection):
            await asyncio.sleep(BEAT)
            await connection.device.notify_subscriber(connection, self.measurement, self.measure())

    def measure(self):
        """flags(1) rate(1) [energy(2), every fourth] RR(2 each), with no skin contact in the first two."""
        self.beats += 1
        self.energy += 1
        self.rate = max(58, min(96, self.rate + self.randomness.randint(-2, 3)))
        contact = 0x04 if self.beats <= 2 else 0x06
        rr = [round(60 / self.rate * 1024) + self.randomness.randint(-20, 20)
              for _ in range(0 if contact == 0x04 else self.randomness.randint(1, 2))]
        energy = self.beats % 4 == 0
        flags = contact | (0x08 if energy else 0) | (0x10 if rr else 0)
        return (bytes([flags, self.rate]) + (struct.pack("<H", self.energy) if energy else b"")
                + b"".join(struct.pack("<H", value) for value in rr))

    def control(self, _, value):
        if value != b"\x01":
            raise att.ATT_Error(CONTROL_POINT_NOT_SUPPORTED)
        self.energy = 0

    async def tune(self, connection, value):
        counter, operation = value[0], value[1]
        await connection.device.notify_subscriber(
            connection, self.reply, bytes([counter, 0x00, operation]) + struct.pack("<H", self.beats))


async def script(phone, device, air):
    address = await phone.find(NAME)
    link = await phone.connect(address)
    await link.peer.request_mtu(185)
    await link.peer.discover_all()
    for uuid in ("2A38", "2A19", "2A29"):
        await link.read(uuid)
    beats = await link.subscribe("2A37")
    await link.take(beats, 8)
    await link.write("2A39", b"\x01")
    replies = await link.subscribe(TUNING_REPLY)
    for counter, operation in ((0x01, 0x10), (0x02, 0x22)):
        await link.command(TUNING_COMMAND, [counter, operation, 0x05])
        await link.take(replies, 1)
    await link.take(beats, 4)
    measurement, battery = link.handle("2A37"), link.handle("2A19")

    # The strap slips and ends the link.
    await list(device.connections.values())[0].disconnect(reason=0x13)
    await link.ended

    await asyncio.sleep(0.3)
    link = await phone.connect(await phone.find(NAME, sightings=2))
    await link.peer.request_mtu(185)
    await link.peer.discover_service("180D")
    beats = await link.subscribe(measurement)
    await link.take(beats, 8)
    await link.read(battery)
    await link.disconnect()


def cast():
    return SETTING, Strap().part, script, []

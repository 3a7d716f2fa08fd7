"""Motion Stream: a sensor at full speed, hundreds of notifications with reads and commands in between."""

import asyncio
import random
import struct

from bumble.gatt import CharacteristicValue

from .stage import COMMAND, NOTIFY, READ, WRITE, Part, Setting, characteristic, connected, service

NAME = "Motion Stream"
SETTING = Setting(seed=3, handles=(0x0E01,), extended=True, acl_length=251, interval=7.5, supervision_timeout=4000)
MOTION_SERVICE = "C31F0001-5B7A-4E92-8D64-0A9B7F3E2D51"
CONTROL = "C31F0002-5B7A-4E92-8D64-0A9B7F3E2D51"  # write: 01 starts, 00 stops
SAMPLES = "C31F0003-5B7A-4E92-8D64-0A9B7F3E2D51"  # notify: 20 bytes
COUNTER = "C31F0004-5B7A-4E92-8D64-0A9B7F3E2D51"  # read: samples sent so far
TRIM = "C31F0005-5B7A-4E92-8D64-0A9B7F3E2D51"  # write without response
STREAM = 960  # samples taken before the stop
PERIOD = 0.01


class Sensor:
    """The device: samples every ten milliseconds between start and stop."""

    def __init__(self):
        self.randomness = random.Random(33)
        self.sent, self.running, self.trims = 0, None, []
        self.samples = characteristic(SAMPLES, NOTIFY)
        self.part = Part(NAME, "F0:7B:3D:18:A5:66", appearance=0x0540, mtu=247, advertised=[MOTION_SERVICE], services=[
            service(MOTION_SERVICE, characteristic(CONTROL, WRITE, CharacteristicValue(write=self.control)),
                    self.samples,
                    characteristic(COUNTER, READ, CharacteristicValue(read=lambda _: struct.pack("<I", self.sent))),
                    characteristic(TRIM, COMMAND, CharacteristicValue(
                        write=lambda _, value: self.trims.append(bytes(value))))),
        ])

    def control(self, connection, value):
        if self.running:
            self.running.cancel()
        self.running = asyncio.create_task(self.stream(connection)) if value == b"\x01" else None

    async def stream(self, connection):
        loop = asyncio.get_running_loop()
        due = loop.time()
        while connected(connection):
            due += PERIOD
            await asyncio.sleep(max(0, due - loop.time()))
            await connection.device.notify_subscriber(connection, self.samples, self.sample())

    def sample(self):
        """counter(4) acceleration(3 x 2) rotation(3 x 2) temperature(2) status(2)."""
        self.sent += 1
        axes = [self.randomness.randint(-2000, 2000) for _ in range(6)]
        return struct.pack("<I6hhH", self.sent, *axes, 2150 + self.sent % 7, 0x0001)


async def script(phone, device, air):
    link = await phone.connect(await phone.find(NAME))
    await link.connection.set_data_length(251, 2120)
    await link.peer.request_mtu(247)
    await link.peer.discover_all()
    samples = await link.subscribe(SAMPLES)
    await link.write(CONTROL, b"\x01")
    taken = 0
    for turn in range(20):
        await link.take(samples, 25)
        taken += 25
        await link.read(COUNTER)
        if turn == 9:
            for number in range(60):
                await link.command(TRIM, struct.pack("<BH", number, 0x0100 + number))
    await link.take(samples, STREAM - taken)
    await link.write(CONTROL, b"\x00")
    await asyncio.sleep(0.1)
    await link.disconnect()


def cast():
    return SETTING, Sensor().part, script, []

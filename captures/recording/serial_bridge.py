"""Serial Bridge: a UART over GATT whose device asks for the MTU too, and whose answers may overtake the write response."""

import asyncio

from bumble import att
from bumble.gatt import CharacteristicValue

from .stage import COMMAND, NOTIFY, WRITE, Part, Setting, characteristic, service

NAME = "Serial Bridge"
SETTING = Setting(seed=4, handles=(0x0010, 0x0010), extended=True, acl_length=251, interval=15,
                  supervision_timeout=1000)
UART_SERVICE = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
INPUT = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"  # to the device
OUTPUT = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"  # from the device

# Request -> lines of the answer. A request with "!" is answered before its write response.
ANSWERS = {
    b"version\n": [b"bridge 2.0\n"],
    b"uptime\n": [b"uptime 00:14:07\n"],
    b"ports!\n": [b"A 115200 8N1\n", b"B 9600 7E1\n"],
    b"log 3\n": [b"log 1 boot\n", b"log 2 port A open\n", b"log 3 host attached\n"],
    b"echo!\n": [b"echo\n"],
    b"stats!\n": [b"rx 4096\n", b"tx 1280\n", b"err 0\n"],
    b"set A 57600\n": [b"ok\n"],
    b"bogus\n": [b"error: unknown command\n"],
}


class Bridge:
    """The device: greets whoever subscribes, before it answers the subscription itself."""

    def __init__(self):
        self.output = characteristic(OUTPUT, NOTIFY)
        self.output.on("subscription", self.greet)
        self.part = Part(NAME, "DB:62:F4:09:3C:A8", mtu=247, advertised=[UART_SERVICE], services=[
            service(UART_SERVICE,
                    characteristic(INPUT, WRITE | COMMAND, CharacteristicValue(write=self.receive)), self.output),
        ])

    def say(self, connection, line):
        pdu = att.ATT_Handle_Value_Notification(attribute_handle=self.output.handle, attribute_value=line)
        connection.device.gatt_server.send_gatt_pdu(connection, bytes(pdu))

    def greet(self, connection, notify, _):
        if notify:
            self.say(connection, b"ready\n")

    async def receive(self, connection, value):
        lines = list(ANSWERS[bytes(value)])
        if b"!" in value:
            self.say(connection, lines.pop(0))

        async def later():
            for line in lines:
                await asyncio.sleep(0.04)
                self.say(connection, line)

        asyncio.create_task(later())


async def converse(link, requests, input, output):
    for request in requests:
        await link.write(input, request)
        await link.take(output, len(ANSWERS[request]))
        await asyncio.sleep(0.06)


async def script(phone, device, air):
    link = await phone.connect(await phone.find(NAME))
    await link.connection.set_data_length(251, 2120)
    await link.peer.request_mtu(517)
    own_connection = list(device.connections.values())[0]
    await own_connection.gatt_client.request_mtu(247)  # the device as a client, over the same bearer
    await link.peer.discover_all()
    output = await link.subscribe(OUTPUT)
    await link.take(output, 1)
    requests = [b"version\n", b"uptime\n", b"ports!\n", b"log 3\n", b"echo!\n", b"set A 57600\n"]
    await converse(link, requests, INPUT, output)
    handles = link.handle(INPUT), link.handle(OUTPUT)
    await link.command(INPUT, b"uptime\n")
    await link.take(output, 1)

    # Out of range: a last request gets no answer, and the supervision timeout ends the link.
    air.lose(SETTING.supervision_timeout / 1000)
    await link.command(INPUT, b"version\n")
    await link.ended

    await asyncio.sleep(0.2)
    link = await phone.connect(await phone.find(NAME, sightings=2))
    await link.peer.request_mtu(517)
    await list(device.connections.values())[0].gatt_client.request_mtu(247)
    output = await link.subscribe(handles[1])
    await link.take(output, 1)
    await converse(link, [b"stats!\n", b"bogus\n", b"version\n"], handles[0], output)
    await link.disconnect()


def cast():
    return SETTING, Bridge().part, script, [Part("Kitchen Scale", "D2:40:9C:E1:08:36", advertised=["181D"])]

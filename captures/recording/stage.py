"""Where a recording plays: a device to act, a phone to log, and the few steps a phone's script is written in."""

import asyncio
import contextlib
import random
import struct
from dataclasses import dataclass, field

from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import ConnectionParametersPreferences, Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.profiles.gap import GenericAccessService
from bumble.profiles.gatt_service import GenericAttributeProfileService
from bumble.transport.common import AsyncPipeSink

from .btsnoop import SnoopLog
from .radio import Air, DeviceController, PhoneController

PHONE_ADDRESS = "02:00:5E:10:00:01"
PHONE_RANDOM_ADDRESS = "5C:1F:88:D2:40:B7"
READ, WRITE = Characteristic.Properties.READ, Characteristic.Properties.WRITE
COMMAND = Characteristic.Properties.WRITE_WITHOUT_RESPONSE
NOTIFY, INDICATE = Characteristic.Properties.NOTIFY, Characteristic.Properties.INDICATE


@dataclass
class Part:
    """A device as its makers see it: name, address, what it advertises, its services, the largest MTU it takes."""

    name: str
    address: str
    services: list = field(default_factory=list)
    advertised: list = field(default_factory=list)  # 16-bit or 128-bit service UUIDs, as text
    appearance: int = 0
    mtu: int = 23


@dataclass
class Setting:
    """The phone's side: how its controller is built and how it connects."""

    seed: int
    handles: tuple = (0x0040, 0x0041)
    extended: bool = False
    acl_length: int = 27
    interval: float = 30.0  # ms
    supervision_timeout: int = 2000  # ms


def characteristic(uuid, properties, value=b""):
    """A characteristic without security, readable and writable as its properties say."""
    permissions = Characteristic.Permissions(0)
    if properties & READ:
        permissions |= Characteristic.READABLE
    if properties & (WRITE | COMMAND):
        permissions |= Characteristic.WRITEABLE
    return Characteristic(uuid, properties, permissions, value)


def service(uuid, *characteristics):
    return Service(UUID(uuid), list(characteristics))


def connected(connection):
    """Whether a device's connection is still up."""
    return connection.device.connections.get(connection.handle) is connection


async def advertise(part, air):
    """Switches a device on and lets it advertise; it does so again after each disconnection."""
    config = DeviceConfiguration(name=part.name, address=hci.Address(part.address),
                                 gap_service_enabled=False, gatt_service_enabled=False)
    number = len(air.controllers) + 2  # 1 is the phone
    controller = DeviceController(part.name, link=air, public_address=f"02:00:5E:10:00:{number:02X}")
    device = Device(config=config, host=Host(controller, AsyncPipeSink(controller)))
    device.add_service(GenericAccessService(part.name, part.appearance))
    device.add_service(GenericAttributeProfileService(database_hash_enabled=False))
    device.add_services(part.services)
    device.gatt_server.max_mtu = part.mtu
    await device.power_on()

    flags = (AdvertisingData.FLAGS, b"\x06")
    uuids = [UUID(text).to_bytes() for text in part.advertised]
    short, long = b"".join(u for u in uuids if len(u) == 2), b"".join(u for u in uuids if len(u) == 16)
    data = [flags]
    if short:
        data.append((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, short))
    if long:
        data.append((AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, long))
    response = [(AdvertisingData.COMPLETE_LOCAL_NAME, part.name.encode()), (AdvertisingData.TX_POWER_LEVEL, b"\x00")]
    await device.start_advertising(
        auto_restart=True, advertising_data=bytes(AdvertisingData(data)),
        scan_response_data=bytes(AdvertisingData(response)), advertising_interval_min=60, advertising_interval_max=60)
    return device


class Link:
    """One connection of the phone, with steps named after what an app does."""

    def __init__(self, connection):
        self.connection, self.peer = connection, Peer(connection)
        self.client = self.peer.gatt_client
        self.ended = asyncio.get_running_loop().create_future()
        connection.on(connection.EVENT_DISCONNECTION, lambda reason: self.ended.set_result(int(reason)))

    def handle(self, uuid):
        """The value handle of a characteristic found by discovery, or a handle given as a number."""
        return uuid if isinstance(uuid, int) else self.peer.get_characteristics_by_uuid(UUID(uuid))[0].handle

    async def request(self, pdu):
        """Sends a request as it is and gives back the response, an Error Response too."""
        return await self.client.send_request(pdu)

    async def read(self, uuid):
        return await self.client.read_value(self.handle(uuid))

    async def write(self, uuid, value):
        await self.client.write_value(self.handle(uuid), bytes(value), with_response=True)

    async def command(self, uuid, value):
        await self.client.write_value(self.handle(uuid), bytes(value), with_response=False)

    async def subscribe(self, uuid, cccd=None, indications=False):
        """Writes the CCCD (by default the attribute after the value) and gives back a queue of the values to come."""
        values = asyncio.Queue()
        handle = self.handle(uuid)
        listeners = self.client.indication_subscribers if indications else self.client.notification_subscribers
        listeners.setdefault(handle, set()).add(values.put_nowait)
        await self.write(cccd or handle + 1, struct.pack("<H", 2 if indications else 1))
        return values

    async def take(self, values, count):
        return [await asyncio.wait_for(values.get(), 5) for _ in range(count)]

    async def disconnect(self):
        await self.connection.disconnect()
        return await self.ended


class Phone:
    def __init__(self, device, setting):
        self.device, self.setting = device, setting

    async def find(self, name, sightings=4):
        """Scans until a device of that name was seen some times; gives back its address."""
        seen, found = [], asyncio.get_running_loop().create_future()

        def advertisement(report):
            if report.data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == name:
                seen.append(report.address)
                if len(seen) >= sightings and not found.done():
                    found.set_result(report.address)

        self.device.on("advertisement", advertisement)
        await self.device.start_scanning()
        address = await asyncio.wait_for(found, 10)
        await self.device.stop_scanning()
        self.device.remove_listener("advertisement", advertisement)
        return address

    async def connect(self, address):
        setting = self.setting
        preferences = ConnectionParametersPreferences(
            connection_interval_min=setting.interval, connection_interval_max=setting.interval,
            supervision_timeout=setting.supervision_timeout)
        connection = await self.device.connect(
            address, connection_parameters_preferences={hci.Phy.LE_1M: preferences}, timeout=10)
        link = Link(connection)
        await connection.get_remote_le_features()
        return link


async def record(path, setting, part, script, neighbours=()):
    """Plays `script(phone, device, air)` and writes what crossed the phone's HCI to `path`; returns the records."""
    air = Air(setting.interval / 1000)
    device = await advertise(part, air)
    for neighbour in neighbours:
        await advertise(neighbour, air)
    controller = PhoneController(air, PHONE_ADDRESS, setting.handles, setting.extended, setting.acl_length,
                                 random.Random(setting.seed))
    host = Host(controller, AsyncPipeSink(controller))
    phone = Device(config=DeviceConfiguration(name="Phone", address=hci.Address(PHONE_RANDOM_ADDRESS)), host=host)
    log = SnoopLog(path)
    with contextlib.closing(log):
        host.snooper = log
        await phone.power_on()
        await script(Phone(phone, setting), device, air)
        await asyncio.sleep(0.2)
    return log.records

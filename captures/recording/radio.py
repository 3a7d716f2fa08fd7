"""The air between two virtual controllers, closer to a real one than Bumble's own link.

Bumble's link hands a packet over at once; here it waits for the next connection event, so that the log shows requests
and answers a connection interval apart, several packets in one event, and credits returned in groups. A phone's
controller here also reports advertisements and scan responses apart, splits long packets as the link layer would, and
gives each link the connection handle the recording asks for.
"""

import asyncio
import math

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

PACKET_TIME = 0.0004  # seconds between two packets of one connection event

EXTENDED_COMMANDS = {
    hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
}


class Air(LocalLink):
    """A link that delivers at connection events, and that can fall silent as when a device walks out of range."""

    def __init__(self, interval):
        super().__init__()
        self.interval = interval
        self.silent = False
        self.latest = 0.0

    def at_next_event(self, deliver):
        """Calls `deliver` at the next connection event, after everything that is already waiting."""
        loop = asyncio.get_running_loop()
        event = (math.floor(loop.time() / self.interval) + 1) * self.interval
        self.latest = max(event, self.latest + PACKET_TIME)
        loop.call_at(self.latest, deliver)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        target = self.find_le_controller(destination_address)
        link = sender_controller.le_connections.get(destination_address)
        if target and link and not self.silent:
            self.at_next_event(lambda: target.on_link_acl_data(link.self_address, transport, data))

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        target = self.find_le_controller(receiver_address)
        if target and not self.silent:
            self.at_next_event(lambda: target.on_ll_control_pdu(sender_address, packet))

    def lose(self, supervision_timeout):
        """Stops carrying packets; both controllers find out when their supervision timeout (seconds) runs out."""
        self.silent = True

        def give_up():
            for controller in self.controllers:
                for connection in list(controller.le_connections.values()):
                    controller.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
            self.silent = False

        asyncio.get_running_loop().call_later(supervision_timeout, give_up)


class DeviceController(Controller):
    """A controller whose host ends a link with reason 0x16 on its own side and the given one on the other."""

    le_features = Controller.le_features & ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
    le_acl_data_packet_length = 251

    def on_hci_disconnect_command(self, command):
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        if link := self.find_le_connection_by_handle(command.connection_handle):
            link.send_ll_control_pdu(ll.TerminateInd(command.reason))
            reason = hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR
            self.link.at_next_event(lambda: self.on_le_disconnected(link, reason))


class PhoneController(DeviceController):
    """The controller of the phone that keeps the log."""

    def __init__(self, air, address, handles, extended, acl_length, randomness):
        super().__init__("phone", link=air, public_address=address)
        self.handles = list(handles)
        self.extended = extended
        self.le_acl_data_packet_length = acl_length
        self.link_octets = 27
        self.randomness = randomness
        self.credits = {}
        if extended:
            self.le_features = Controller.le_features & ~hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
            self.supported_commands = self.supported_commands | EXTENDED_COMMANDS

    def allocate_connection_handle(self):
        self.link_octets = 27
        return self.handles.pop(0)

    def send_hci_packet(self, packet):
        if isinstance(packet, hci.HCI_Number_Of_Completed_Packets_Event):
            self.return_credit(packet.connection_handles[0])
            return
        if self.extended and type(packet) is hci.HCI_LE_Connection_Complete_Event:
            fields = {name: getattr(packet, name) for name in packet.__dataclass_fields__ if name in (
                "status", "connection_handle", "role", "peer_address_type", "peer_address", "connection_interval",
                "peripheral_latency", "supervision_timeout", "central_clock_accuracy")}
            none = hci.Address("00:00:00:00:00:00")
            packet = hci.HCI_LE_Enhanced_Connection_Complete_Event(
                local_resolvable_private_address=none, peer_resolvable_private_address=none, **fields)
        super().send_hci_packet(packet)

    def return_credit(self, handle):
        """Packets are complete once the peer has acknowledged them: at the next connection event, all together."""
        if self.link.silent:
            return
        if handle not in self.credits:
            self.link.at_next_event(lambda: self.flush_credits(handle))
        self.credits[handle] = self.credits.get(handle, 0) + 1

    def flush_credits(self, handle):
        count = self.credits.pop(handle)
        if self.find_le_connection_by_handle(handle):
            super().send_hci_packet(hci.HCI_Number_Of_Completed_Packets_Event([handle], [count]))

    def on_hci_le_set_data_length_command(self, command):
        def changed():
            self.link_octets = command.tx_octets
            self.send_hci_packet(hci.HCI_LE_Data_Length_Change_Event(
                command.connection_handle, command.tx_octets, command.tx_time, command.tx_octets, command.tx_time))

        self.link.at_next_event(changed)
        return hci.HCI_StatusAndConnectionHandleReturnParameters(hci.HCI_ErrorCode.SUCCESS, command.connection_handle)

    def on_link_acl_data(self, sender_address, transport, data):
        link = self.le_connections.get(sender_address)
        if transport != PhysicalTransport.LE or link is None:
            return
        for start in range(0, len(data), self.link_octets):
            part = data[start:start + self.link_octets]
            boundary = 2 if start == 0 else 1
            self.send_hci_packet(hci.HCI_AclDataPacket(link.handle, boundary, 0, len(part), part))

    def on_advertising_pdu(self, pdu):
        if self.le_scan_enable:
            self.report(pdu.advertiser_address, pdu.data, scan_response=False)
            advertiser = next(c.le_legacy_advertiser for c in self.link.controllers
                              if c.le_legacy_advertiser.enabled
                              and c.le_legacy_advertiser.address == pdu.advertiser_address)
            response = bytes(advertiser.scan_response_data)
            asyncio.get_running_loop().call_later(
                0.0008, lambda: self.report(pdu.advertiser_address, response, scan_response=True))
        elif self.pending_le_connection and self.pending_le_connection.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, address, data, scan_response):
        if not self.le_scan_enable:
            return
        rssi = -self.randomness.randint(52, 66)
        if self.extended:
            event = hci.HCI_LE_Extended_Advertising_Report_Event
            self.send_hci_packet(event([event.Report(
                event_type=0x1B if scan_response else 0x13, address_type=address.address_type, address=address,
                primary_phy=1, secondary_phy=0, advertising_sid=0xFF, tx_power=0x7F, rssi=rssi,
                periodic_advertising_interval=0, direct_address_type=0, direct_address=hci.Address.ANY, data=data)]))
        else:
            event = hci.HCI_LE_Advertising_Report_Event
            kind = event.EventType.SCAN_RSP if scan_response else event.EventType.ADV_IND
            self.send_hci_packet(event([event.Report(
                event_type=kind, address_type=address.address_type, address=address, data=data, rssi=rssi)]))

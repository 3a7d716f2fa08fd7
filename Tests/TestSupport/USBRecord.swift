import CaptureFiles

/// Makes the records of usbmon and of USBPcap.
package struct USBRecord {
  package var bus: UInt16 = 1
  package var device: UInt8 = 5
  package var endpoint: UInt8
  package var kind: USBTransfer.Kind
  package var isSubmit: Bool
  package var setup: [UInt8]?
  package var data: [UInt8] = []
  /// The length of the data where fewer are given.
  package var length: Int?
  /// USBPcap's stage of a control transfer.
  package var stage: UInt8 = 0

  package init(
    bus: UInt16 = 1, device: UInt8 = 5, endpoint: UInt8, kind: USBTransfer.Kind, isSubmit: Bool, setup: [UInt8]? = nil, data: [UInt8] = [],
    length: Int? = nil, stage: UInt8 = 0
  ) {
    (self.bus, self.device, self.endpoint, self.kind, self.isSubmit) = (bus, device, endpoint, kind, isSubmit)
    (self.setup, self.data, self.length, self.stage) = (setup, data, length, stage)
  }

  package static func command(_ packet: [UInt8], device: UInt8 = 5) -> USBRecord {
    USBRecord(
      device: device, endpoint: 0, kind: .control, isSubmit: true,
      setup: [0x20, 0, 0, 0, 0, 0, UInt8(packet.count & 0xFF), UInt8(packet.count >> 8)], data: packet)
  }

  package static func event(_ part: [UInt8], device: UInt8 = 5, length: Int? = nil) -> USBRecord {
    USBRecord(device: device, endpoint: 0x81, kind: .interrupt, isSubmit: false, data: part, length: length)
  }

  package static func data(_ part: [UInt8], isSent: Bool, device: UInt8 = 5, length: Int? = nil) -> USBRecord {
    USBRecord(device: device, endpoint: isSent ? 0x02 : 0x82, kind: .bulk, isSubmit: isSent, data: part, length: length)
  }

  package func bytes(_ type: USBLinkType, isBigEndian: Bool = false) -> [UInt8] {
    switch type {
    case .usbmon: usbmon(isBigEndian)
    case .usbmonMapped: usbmon(isBigEndian, extra: 16)
    case .usbPcap: usbPcap
    }
  }

  private func usbmon(_ isBigEndian: Bool, extra: Int = 0) -> [UInt8] {
    func integer(_ value: Int, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBigEndian ? little.reversed() : little
    }
    let flags: [UInt8] = [setup == nil ? 0x2D : 0, data.isEmpty ? 0x3C : 0]
    return integer(1, 8) + [isSubmit ? 0x53 : 0x43, kind.rawValue, endpoint, device] + integer(Int(bus), 2) + flags
      + integer(7, 8) + integer(9, 4) + integer(0, 4) + integer(length ?? data.count, 4) + integer(data.count, 4)
      + (setup ?? [UInt8](repeating: 0, count: 8)) + [UInt8](repeating: 0, count: extra) + data
  }

  private var usbPcap: [UInt8] {
    var writer = ByteWriter()
    let all = stage == 0 ? (setup ?? []) + data : data
    writer.uint16(kind == .control ? 28 : 27)
    writer.uint64(1)
    writer.uint32(0)
    writer.uint16(8)
    writer.uint8(isSubmit ? 0 : 1)
    writer.uint16(bus)
    writer.uint16(UInt16(device))
    writer.uint8(endpoint)
    writer.uint8(kind.rawValue)
    writer.uint32(UInt32(length.map { $0 + all.count - data.count } ?? all.count))
    if kind == .control { writer.uint8(stage) }
    writer.append(all)
    return writer.bytes
  }
}

#if os(Linux)
  import Testing

  /// What Apple's framework has and this one has not, each with its reason.
  enum AbsentMembers {
    enum Reason {
      /// It belongs to the manager for peripherals, which is not part of the face yet.
      case peripheralSide
      /// A type of its signature does not exist on Linux.
      case notOnLinux
    }

    /// By class, protocol, enumeration, constant, or `Class.declaration`; a class stands for its members.
    static let reasons: [String: Reason] = [
      "CBPeripheralManager": .peripheralSide,
      "CBPeripheralManagerDelegate": .peripheralSide,
      "CBCentral": .peripheralSide,
      "CBMutableService": .peripheralSide,
      "CBMutableCharacteristic": .peripheralSide,
      "CBMutableDescriptor": .peripheralSide,
      "CBATTRequest": .peripheralSide,
      "CBPeripheralManagerState": .peripheralSide,
      "CBPeripheralManagerAuthorizationStatus": .peripheralSide,
      "CBPeripheralManagerConnectionLatency": .peripheralSide,
      "CBAttributePermissions": .peripheralSide,
      "CBPeripheralManagerOptionShowPowerAlertKey": .peripheralSide,
      "CBPeripheralManagerOptionRestoreIdentifierKey": .peripheralSide,
      "CBPeripheralManagerRestoredStateServicesKey": .peripheralSide,
      "CBPeripheralManagerRestoredStateAdvertisementDataKey": .peripheralSide,
      "CBUUID.init(cfUUID theUUID: CFUUID)": .notOnLinux,
    ]

    /// Whether something is listed; what is listed has to be absent, and what is not has to be there.
    static func check(_ name: String, owner: String? = nil, isThere: Bool) -> Bool {
      let isListed = reasons[name] != nil || owner.map { reasons[$0] != nil } ?? false
      #expect(isListed != isThere, "\(name) is \(isThere ? "there and listed as absent" : "neither there nor listed as absent")")
      return isListed
    }
  }
#endif

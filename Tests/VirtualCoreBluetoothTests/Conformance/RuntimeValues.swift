#if os(Linux)
  import CoreBluetooth

  /// Raw values and strings as the module has them when it runs.
  enum RuntimeValues {
    struct Enumeration {
      var name: String
      var isOptionSet: Bool
      var values: [String: Int]

      init<Value: RawRepresentable>(_ name: String, _ type: Value.Type, _ values: [String: Value]) where Value.RawValue == Int {
        (self.name, isOptionSet, self.values) = (name, false, values.mapValues(\.rawValue))
      }

      init<Value: OptionSet>(_ name: String, options type: Value.Type, _ values: [String: Value]) where Value.RawValue == UInt {
        (self.name, isOptionSet, self.values) = (name, true, values.mapValues { Int($0.rawValue) })
      }
    }

    static let constants: [String: String] = [
      "CBCentralManagerOptionShowPowerAlertKey": CBCentralManagerOptionShowPowerAlertKey,
      "CBCentralManagerOptionRestoreIdentifierKey": CBCentralManagerOptionRestoreIdentifierKey,
      "CBCentralManagerOptionDeviceAccessForMedia": CBCentralManagerOptionDeviceAccessForMedia,
      "CBCentralManagerScanOptionAllowDuplicatesKey": CBCentralManagerScanOptionAllowDuplicatesKey,
      "CBCentralManagerScanOptionSolicitedServiceUUIDsKey": CBCentralManagerScanOptionSolicitedServiceUUIDsKey,
      "CBConnectPeripheralOptionNotifyOnConnectionKey": CBConnectPeripheralOptionNotifyOnConnectionKey,
      "CBConnectPeripheralOptionNotifyOnDisconnectionKey": CBConnectPeripheralOptionNotifyOnDisconnectionKey,
      "CBConnectPeripheralOptionNotifyOnNotificationKey": CBConnectPeripheralOptionNotifyOnNotificationKey,
      "CBConnectPeripheralOptionStartDelayKey": CBConnectPeripheralOptionStartDelayKey,
      "CBConnectPeripheralOptionEnableTransportBridgingKey": CBConnectPeripheralOptionEnableTransportBridgingKey,
      "CBConnectPeripheralOptionRequiresANCS": CBConnectPeripheralOptionRequiresANCS,
      "CBConnectPeripheralOptionEnableAutoReconnect": CBConnectPeripheralOptionEnableAutoReconnect,
      "CBCentralManagerRestoredStatePeripheralsKey": CBCentralManagerRestoredStatePeripheralsKey,
      "CBCentralManagerRestoredStateScanServicesKey": CBCentralManagerRestoredStateScanServicesKey,
      "CBCentralManagerRestoredStateScanOptionsKey": CBCentralManagerRestoredStateScanOptionsKey,
      "CBConnectionEventMatchingOption.serviceUUIDs": CBConnectionEventMatchingOption.serviceUUIDs.rawValue,
      "CBConnectionEventMatchingOption.peripheralUUIDs": CBConnectionEventMatchingOption.peripheralUUIDs.rawValue,
      "CBAdvertisementDataLocalNameKey": CBAdvertisementDataLocalNameKey,
      "CBAdvertisementDataManufacturerDataKey": CBAdvertisementDataManufacturerDataKey,
      "CBAdvertisementDataServiceDataKey": CBAdvertisementDataServiceDataKey,
      "CBAdvertisementDataServiceUUIDsKey": CBAdvertisementDataServiceUUIDsKey,
      "CBAdvertisementDataOverflowServiceUUIDsKey": CBAdvertisementDataOverflowServiceUUIDsKey,
      "CBAdvertisementDataTxPowerLevelKey": CBAdvertisementDataTxPowerLevelKey,
      "CBAdvertisementDataIsConnectable": CBAdvertisementDataIsConnectable,
      "CBAdvertisementDataSolicitedServiceUUIDsKey": CBAdvertisementDataSolicitedServiceUUIDsKey,
      "CBUUIDCharacteristicExtendedPropertiesString": CBUUIDCharacteristicExtendedPropertiesString,
      "CBUUIDCharacteristicUserDescriptionString": CBUUIDCharacteristicUserDescriptionString,
      "CBUUIDClientCharacteristicConfigurationString": CBUUIDClientCharacteristicConfigurationString,
      "CBUUIDServerCharacteristicConfigurationString": CBUUIDServerCharacteristicConfigurationString,
      "CBUUIDCharacteristicFormatString": CBUUIDCharacteristicFormatString,
      "CBUUIDCharacteristicAggregateFormatString": CBUUIDCharacteristicAggregateFormatString,
      "CBUUIDCharacteristicValidRangeString": CBUUIDCharacteristicValidRangeString,
      "CBUUIDL2CAPPSMCharacteristicString": CBUUIDL2CAPPSMCharacteristicString,
      "CBUUIDCharacteristicObservationScheduleString": CBUUIDCharacteristicObservationScheduleString,
      "CBErrorDomain": CBErrorDomain,
      "CBATTErrorDomain": CBATTErrorDomain,
    ]

    static let enumerations: [Enumeration] = [
      Enumeration(
        "CBManagerState", CBManagerState.self,
        [
          "unknown": .unknown, "resetting": .resetting, "unsupported": .unsupported, "unauthorized": .unauthorized,
          "poweredOff": .poweredOff, "poweredOn": .poweredOn,
        ]),
      Enumeration(
        "CBCentralManagerState", CBCentralManagerState.self,
        [
          "unknown": .unknown, "resetting": .resetting, "unsupported": .unsupported, "unauthorized": .unauthorized,
          "poweredOff": .poweredOff, "poweredOn": .poweredOn,
        ]),
      Enumeration(
        "CBManagerAuthorization", CBManagerAuthorization.self,
        [
          "notDetermined": .notDetermined, "restricted": .restricted, "denied": .denied, "allowedAlways": .allowedAlways,
        ]),
      Enumeration(
        "CBPeripheralState", CBPeripheralState.self,
        [
          "disconnected": .disconnected, "connecting": .connecting, "connected": .connected, "disconnecting": .disconnecting,
        ]),
      Enumeration(
        "CBCharacteristicWriteType", CBCharacteristicWriteType.self,
        [
          "withResponse": .withResponse, "withoutResponse": .withoutResponse,
        ]),
      Enumeration(
        "CBConnectionEvent", CBConnectionEvent.self,
        [
          "peerDisconnected": .peerDisconnected, "peerConnected": .peerConnected,
        ]),
      Enumeration(
        "CBCentralManager.Feature", options: CBCentralManager.Feature.self,
        [
          "extendedScanAndConnect": .extendedScanAndConnect
        ]),
      Enumeration(
        "CBCharacteristicProperties", options: CBCharacteristicProperties.self,
        [
          "broadcast": .broadcast, "read": .read, "writeWithoutResponse": .writeWithoutResponse, "write": .write, "notify": .notify,
          "indicate": .indicate, "authenticatedSignedWrites": .authenticatedSignedWrites, "extendedProperties": .extendedProperties,
          "notifyEncryptionRequired": .notifyEncryptionRequired, "indicateEncryptionRequired": .indicateEncryptionRequired,
        ]),
      Enumeration(
        "CBError.Code", CBError.Code.self,
        [
          "unknown": .unknown, "invalidParameters": .invalidParameters, "invalidHandle": .invalidHandle, "notConnected": .notConnected,
          "outOfSpace": .outOfSpace, "operationCancelled": .operationCancelled, "connectionTimeout": .connectionTimeout,
          "peripheralDisconnected": .peripheralDisconnected, "uuidNotAllowed": .uuidNotAllowed,
          "alreadyAdvertising": .alreadyAdvertising, "connectionFailed": .connectionFailed,
          "connectionLimitReached": .connectionLimitReached, "unknownDevice": .unknownDevice, "unkownDevice": .unkownDevice,
          "operationNotSupported": .operationNotSupported, "peerRemovedPairingInformation": .peerRemovedPairingInformation,
          "encryptionTimedOut": .encryptionTimedOut, "tooManyLEPairedDevices": .tooManyLEPairedDevices,
          "leGattExceededBackgroundNotificationLimit": .leGattExceededBackgroundNotificationLimit,
          "leGattNearBackgroundNotificationLimit": .leGattNearBackgroundNotificationLimit,
        ]),
      Enumeration(
        "CBATTError.Code", CBATTError.Code.self,
        [
          "success": .success, "prepareQueueFull": .prepareQueueFull, "invalidHandle": .invalidHandle,
          "attributeNotFound": .attributeNotFound, "readNotPermitted": .readNotPermitted, "attributeNotLong": .attributeNotLong,
          "writeNotPermitted": .writeNotPermitted, "insufficientEncryptionKeySize": .insufficientEncryptionKeySize,
          "invalidPdu": .invalidPdu, "invalidAttributeValueLength": .invalidAttributeValueLength,
          "insufficientAuthentication": .insufficientAuthentication, "unlikelyError": .unlikelyError,
          "requestNotSupported": .requestNotSupported, "insufficientEncryption": .insufficientEncryption,
          "invalidOffset": .invalidOffset, "unsupportedGroupType": .unsupportedGroupType,
          "insufficientAuthorization": .insufficientAuthorization, "insufficientResources": .insufficientResources,
        ]),
    ]
  }
#endif

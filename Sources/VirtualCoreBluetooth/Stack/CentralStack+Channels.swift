import BLEWire
import Foundation
import ReplayEngine

/// L2CAP channels.
extension CentralStack {
  func openChannel(_ peripheral: CBPeripheral, _ psm: CBL2CAPPSM) {
    onLink(peripheral) { link, air in if let number = link.number { link.channels.open(psm: psm, on: number, in: air) } }
  }
}

extension PeripheralLink {
  /// How something came out that was asked of a peripheral.
  func channelSettled(_ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome, in air: AirCore) {
    guard let number, let peripheral, let (psm, result) = channels.settled(procedure, outcome, on: number, of: stack.air) else { return }
    stack.tell("didOpen", in: air) { _ in
      switch result {
      case .success(let pipe):
        peripheral.delegate?.peripheral(peripheral, didOpen: CBL2CAPChannel(pipe, peer: peripheral, psm: psm), error: nil)
      case .failure(let refusal):
        peripheral.delegate?.peripheral(peripheral, didOpen: nil, error: ErrorMapping.refusedChannel(refusal))
      }
    }
  }
}

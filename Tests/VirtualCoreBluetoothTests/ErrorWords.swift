import CoreBluetooth
import Foundation

/// An error as tests write it: its domain and its code.
func words(_ error: (any Error)?) -> String {
  switch error {
  case nil: "nil"
  case let error as CBError: "CBError \(error.code.rawValue)"
  case let error as CBATTError: "CBATTError \(error.code.rawValue)"
  case let error?: "\((error as NSError).domain) \((error as NSError).code)"
  }
}

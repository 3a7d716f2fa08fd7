import Foundation

/// Room for an app's writes without response, as `canSendWriteWithoutResponse` tells it.
///
/// It is filled where the app writes, and emptied as the controller takes what is in it: so it is full in the middle of a burst already.
final class CommandQueue: @unchecked Sendable {
  private let lock = NSLock()
  private let room: Int
  private var waiting = 0
  private var isStalled = false
  /// Whether there was no room, so that the app is to be told when there is some.
  private var wasFull = false
  private var hasWritten = false
  private var polls = 0
  private var written = 0

  /// A write's number on its connection, from 1, and whether there was room for it.
  struct Turn {
    var number: Int
    var hasRoom: Bool
  }

  init(room: Int) { self.room = max(1, room) }

  /// How many writes a phone keeps.
  static let usualRoom = 16
  /// How many polls in vain the quirk of some systems takes.
  static let pollsInVain = 5

  /// Whether a write would be taken now.
  func hasRoom(_ readiness: VirtualPhone.Conventions.Readiness) -> Bool {
    lock.withLock {
      polls += 1
      switch readiness {
      case .notUntilFirstWrite where !hasWritten: return false
      case .notForFirstPolls where polls <= Self.pollsInVain: return false
      default: return !isStalled && waiting < room
      }
    }
  }

  /// The app wrote.
  func write() -> Turn {
    lock.withLock {
      hasWritten = true
      let had = waiting < room
      waiting += 1
      if waiting >= room { wasFull = true }
      written &+= 1
      return Turn(number: written, hasRoom: had)
    }
  }

  /// The controller took a write; tells whether the app is to hear of it.
  func take() -> Bool {
    lock.withLock {
      waiting = max(0, waiting - 1)
      return isReadyAgain()
    }
  }

  /// The controller takes nothing for now, or takes writes again; tells whether the app is to hear of it.
  func stall(_ isStalled: Bool) -> Bool {
    lock.withLock {
      self.isStalled = isStalled
      if isStalled { wasFull = true }
      return isReadyAgain()
    }
  }

  private func isReadyAgain() -> Bool {
    guard wasFull, !isStalled, waiting == 0 else { return false }
    wasFull = false
    return true
  }
}

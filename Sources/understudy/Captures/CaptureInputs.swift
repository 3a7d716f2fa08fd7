import CaptureFiles
import Foundation

/// The captures that a command works on: files, and what folders hold.
struct CaptureInputs {
  /// Paths in the order of the arguments; those of a folder by name.
  private(set) var files: [String] = []
  /// Files that stand for a whole folder's: what is no capture there is passed over.
  private(set) var fromFolders: Set<String> = []

  init(_ operands: [String]) {
    for operand in operands {
      guard operand != "-", Self.type(of: operand) == .typeDirectory else {
        files.append(operand)
        continue
      }
      let inside = Self.files(in: operand)
      files += inside
      fromFolders.formUnion(inside)
    }
  }

  /// What stands at a path, behind symbolic links; `nil` where nothing does.
  private static func type(of path: String) -> FileAttributeType? {
    let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return (try? FileManager.default.attributesOfItem(atPath: resolved))?[.type] as? FileAttributeType
  }

  /// All files below a folder by name, without hidden ones and without the older parts of logs that are there, too. Links to folders are not
  /// followed, since they may lead in circles, and pipes not opened, since nobody may write into them.
  private static func files(in folder: String) -> [String] {
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    let names =
      FileManager.default.enumerator(atPath: URL(fileURLWithPath: folder).resolvingSymlinksInPath().path)?.compactMap { $0 as? String }
      ?? []
    let visible = names.filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
    let all = Set(visible)
    return visible.sorted().filter { name in
      // A link to nothing is told when it is opened.
      guard type(of: base + name) ?? .typeRegular == .typeRegular else { return false }
      guard let dot = name.lastIndex(of: "."), let number = name.index(dot, offsetBy: 1, limitedBy: name.endIndex) else { return true }
      let ending = name[number...]
      let isOlder = ending == "last" || (1...2).contains(ending.count) && ending.allSatisfy(\.isNumber)
      let log = String(name[..<dot])
      return !(isOlder && log.lowercased().hasSuffix(".log") && all.contains(log))
    }.map { base + $0 }
  }

  /// Whether a file's error says only that it is no capture, and it stood in a folder among others.
  func isPassedOver(_ file: String, _ error: any Error) -> Bool {
    guard fromFolders.contains(file), let error = error as? CaptureError else { return false }
    return [.unknownFormat, .empty, .noCapture].contains(error.code)
  }

  /// Tells how many files of folders were passed over.
  static func report(passedOver count: Int, _ console: Console) {
    if count > 0 {
      console.report(
        "\(counted(count, "file")) in the folder\(count == 1 ? " is no capture and was" : " are no captures and were") passed over")
    }
  }
}

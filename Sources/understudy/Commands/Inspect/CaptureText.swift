import SessionReconstruction

/// What a capture holds, for people.
struct CaptureText {
  let capture: Reconstruction

  init(_ capture: Reconstruction) { self.capture = capture }

  var text: String { heading + peers + links + failures + findings }

  private var heading: String {
    let start = capture.start.map { ", from \($0.iso8601)" } ?? ""
    return "\(capture.format.description), \(counted(capture.records, "record"))\(start)\n"
  }

  private var peers: String {
    let peers = CapturePeer.all(of: capture)
    let heard = capture.advertisers.isEmpty ? "" : "\(counted(capture.advertisers.count, "advertiser")) heard\n"
    guard !peers.isEmpty else { return (capture.air.packets > 0 ? air : "\nno connection\n") + heard }
    var table = TextTable(["peer", "type", "name", "services", "sessions", "ended"])
    for peer in peers {
      table.add([
        peer.isKnown ? peer.address.description : "unknown", peer.isKnown ? Self.type(of: peer.address) : "-",
        peer.name.map(printable) ?? "-", peer.services.isEmpty ? "-" : peer.services.map(\.description).joined(separator: " "),
        String(peer.links.count), Self.endings(peer.links),
      ])
    }
    let playable = peers.compactMap { peer in
      peer.playability.map { "  \(peer.isKnown ? peer.address.description : "unknown") plays \($0)\n" }
    }
    let rotated = peers.filter { !$0.addresses.isEmpty }.map { peer in
      "  \(peer.address) used the addresses \(peer.addresses.map(\.description).joined(separator: " "))\n"
    }
    return "\npeers\n" + table.text(indent: "  ") + rotated.joined() + heard + (playable.isEmpty ? "" : "\nscenarios\n" + playable.joined())
  }

  /// What a sniffer heard.
  private var air: String {
    let heard = capture.air
    var parts = [
      "\(counted(heard.advertisements, "advertisement"))", "\(counted(heard.scanRequests, "scan request"))",
      "\(counted(heard.connectionRequests, "connection request"))",
      "\(counted(heard.data, "data packet")) with \(counted(heard.links.count, "access address", plural: "access addresses"))",
    ]
    if heard.encrypted > 0 { parts.append("\(heard.encrypted) of them encrypted") }
    if heard.damaged > 0 { parts.append("\(heard.damaged) with wrong checksums") }
    if heard.malformed > 0 { parts.append("\(heard.malformed) malformed") }
    return "\non the air: \(parts.joined(separator: ", "))\n"
  }

  private static func type(of address: BluetoothAddress) -> String {
    address.randomKind.map { "\(address.typeName), \($0.rawValue)" } ?? address.typeName
  }

  private static func endings(_ links: [Link]) -> String {
    var order: [String] = []
    var counts: [String: Int] = [:]
    for ending in links.map(\.ending) {
      if counts[ending] == nil { order.append(ending) }
      counts[ending, default: 0] += 1
    }
    return order.map { ending in counts[ending].map { $0 > 1 ? "\(ending) (\($0))" : ending } ?? ending }.joined(separator: ", ")
  }

  private var links: String {
    guard !capture.links.isEmpty else { return "" }
    var table = TextTable([
      "link", "adapter", "handle", "role", "peer", "start", "duration", "ended", "MTU", "ATT PDUs", "encrypted",
    ])
    for link in capture.links {
      let isLE = link.isLowEnergy
      table.add([
        String(link.index), String(link.adapter), link.connection.description, isLE ? link.localRole?.rawValue ?? "observer" : "-",
        link.peerText,
        (link.isImplicit ? "before " : "") + link.start.iso8601, Self.duration(of: link), link.ending,
        isLE || link.attPDUs > 0 ? (link.isImplicit ? "≥ " : "") + String(link.mtu) : "-",
        isLE || link.attPDUs > 0 ? String(link.attPDUs) : "-",
        link.isEncrypted ? "yes" : "no",
      ])
    }
    return "\nlinks\n" + table.text(indent: "  ") + pairings
  }

  /// Links that were paired or encrypted with a stored key.
  private var pairings: String {
    let lines = capture.links.compactMap { link in
      link.securityText.map { "  link \(link.index): \($0)\n" }
    }
    return lines.isEmpty ? "" : "\npairing\n" + lines.joined()
  }

  private static func duration(of link: Link) -> String {
    let nanoseconds = (link.end ?? link.lastActivity).nanoseconds(since: link.start)
    let milliseconds = nanoseconds.magnitude / 1_000_000
    let fraction = String(milliseconds % 1000)
    return "\(nanoseconds < 0 ? "-" : "")\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
  }

  private var failures: String {
    var text = ""
    if !capture.failedConnections.isEmpty {
      var table = TextTable(["frame", "adapter", "role", "peer", "time", "status"])
      for failure in capture.failedConnections {
        table.add([
          String(failure.frame), String(failure.adapter), failure.localRole.rawValue, failure.peer.description, failure.time.iso8601,
          failure.status.description,
        ])
      }
      text += "\nfailed connections\n" + table.text(indent: "  ")
    }
    if !capture.strayDisconnections.isEmpty {
      var table = TextTable(["frame", "adapter", "handle", "time", "status", "reason"])
      for event in capture.strayDisconnections {
        table.add([
          String(event.frame), String(event.adapter), event.handle.description, event.time.iso8601, event.status.description,
          event.reason.description,
        ])
      }
      text += "\ndisconnections of links that the capture does not show\n" + table.text(indent: "  ")
    }
    return text
  }

  /// Findings of each code with the first three examples, the worst first.
  private var findings: String {
    guard !capture.findings.isEmpty else { return "\nno findings\n" }
    var text = "\nfindings\n"
    let grouped = Dictionary(grouping: capture.findings, by: \.code)
    for severity in Finding.Severity.allCases.reversed() {
      for code in Finding.Code.allCases where code != .moreFindings {
        guard let all = grouped[code], all.map(\.severity).max(by: Self.isMilder) == severity else { continue }
        text += "  \(severity.rawValue) \(code.rawValue), \(capture.findingCounts[code] ?? all.count) in all\n"
        for finding in all.prefix(3) { text += "    \(finding.frame.map { "frame \($0): " } ?? "")\(printable(finding.message))\n" }
      }
    }
    return text
  }

  private static func isMilder(_ left: Finding.Severity, _ right: Finding.Severity) -> Bool {
    let order = Finding.Severity.allCases
    return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
  }
}

/// `1 record`, `2 records`.
func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

import ReplayScenarios
import Testing

/// What is said of each wrong text: the place, what is wrong, and what to do.
@Suite struct MalformedTests {
  /// A text with one thing wrong, and what is said of it after the file's name.
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var message: String
    init(_ text: String, _ message: String) { (self.text, self.message) = (text, message) }
    var testDescription: String { text }
  }

  private func check(_ text: String, _ message: String) {
    let error = #expect(throws: ScenarioError.self) { try Scenario(reading: text, file: "f") }
    #expect(error?.description == "f:" + message)
  }

  @Test(arguments: [
    Case("", "1:1: the end of the file stands where the scenario should; write an object, { … }"),
    Case("[]", "1:1: a list stands where the scenario should; write an object, { … }"),
    Case("{", #"1:2: the end of the file stands where a key or "}" should; write KEY: VALUE, or close the object"#),
    Case("{ format: 'understudy/1', } x", "1:29: x stands after the end of the scenario; remove it; a file holds one scenario"),
    Case("{ format: 'understudy/1' note: '' }", #"1:26: note stands where "," or "}" should; add what is missing before it"#),
    Case("{ format: 'understudy/1',, }", #"1:26: "," stands where a key or "}" should; write KEY: VALUE, or close the object"#),
    Case("{ format 'understudy/1' }", #"1:10: the text "understudy/1" stands where ":" after the key "format" should; write KEY: VALUE"#),
    Case(
      "{\n  format: 'understudy/1',\n  é: §\n}",
      #"3:3: the key "é" is unknown in the scenario; the keys it may have are format, origin, note, match, unmatched, device, database, laterDatabases, rules, expect, faults, sessions"#
    ),
    Case("{ format: 'understudy/1', note: § }", "1:33: unexpected character §; remove it, or put the text in double quotes"),
    Case(
      "{ format: 'understudy/1', note: 'a\nb' }",
      #"1:33: the text is not closed on its line; close it with a single quote, or end the line with \"#),
    Case("{ format: 'understudy/1', note: 'a", "1:33: the text is never closed; close it with a single quote"),
    Case("{ format: 'understudy/1', note: \"a\u{1}\" }", #"1:35: a control character stands in a text; write it as \x01"#),
    Case(#"{ format: 'understudy/1', note: '\x4' }"#, "1:34: the escape needs 2 hexadecimal digits; complete it"),
    Case(#"{ format: 'understudy/1', note: '\u12g4' }"#, "1:34: the escape needs 4 hexadecimal digits; complete it"),
    Case(
      #"{ format: 'understudy/1', note: '\uD800' }"#,
      "1:34: half of a surrogate pair stands alone; write both halves, or the character itself"),
    Case(
      #"{ format: 'understudy/1', note: '\uDC00\uD800' }"#,
      "1:34: half of a surrogate pair stands alone; write both halves, or the character itself"),
    Case(
      #"{ format: 'understudy/1', note: '\1' }"#,
      #"1:34: \1 is no escape; octal escapes are not allowed; write \x and two hexadecimal digits"#),
    Case(#"{ format: 'understudy/1', note: '\01' }"#, #"1:34: \0 is followed by a digit; write \x00 instead"#),
    Case("{ format: 'understudy/1', note: true }", "1:33: true stands where the note should; write a text in double quotes"),
    Case("{ /* never", "1:3: the comment is never closed; close it with */"),
    Case("{ / }", #"1:3: a lone "/" begins no comment; write // or /* … */, or remove it"#),
    Case(
      "{ format: 'understudy/1', device: { mtu: 012 } }",
      "1:42: the number 012 begins with 0; remove the leading zeros, or write 0x before hexadecimal digits"),
    Case(
      "{ format: 'understudy/1', device: { mtu: 0x } }",
      #"1:42: "0x" is not a number; write it as 12, 12.5 or 0x0c, or put a text in double quotes"#),
    Case(
      "{ format: 'understudy/1', device: { mtu: 12ms } }",
      #"1:42: "12ms" is not a number; write it as 12, 12.5 or 0x0c, or put a text in double quotes"#),
    Case(
      "{ format: 'understudy/1', device: { mtu: - } }",
      #"1:42: "-" is not a number; write it as 12, 12.5 or 0x0c, or put a text in double quotes"#),
    Case(
      "{ format: 'understudy/1', device: { mtu: Infinity } }",
      "1:42: the device's MTU cannot be Infinity; write a whole number from 23 to 65535"),
    Case(
      "{ format: 'understudy/1', device: { mtu: -NaN } }", "1:42: the device's MTU cannot be -NaN; write a whole number from 23 to 65535"),
    Case(
      "{ format: 'understudy/1', device: { mtu: 24.5 } }", "1:42: the device's MTU cannot be 24.5; write a whole number from 23 to 65535"),
    Case("{ format: 'understudy/1', device: { mtu: 22 } }", "1:42: the device's MTU cannot be 22; write a whole number from 23 to 65535"),
    Case(
      "{ format: 'understudy/1',\r\n\r note: '', 'note': '' }",
      #"3:12: the key "note" stands twice in the scenario, first in line 3; remove one of them"#),
    Case(
      "{ format: 'understudy/1', 'no\\x74e': '', note: '' }",
      #"1:42: the key "note" stands twice in the scenario, first in line 1; remove one of them"#),
    Case("{ format: 'understudy/1', sesions: [] }", #"1:27: the key "sesions" is unknown in the scenario; did you mean "sessions"?"#),
    Case(
      "{ format: 'understudy/1', zzz: [] }",
      #"1:27: the key "zzz" is unknown in the scenario; the keys it may have are format, origin, note, match, unmatched, device, database, laterDatabases, rules, expect, faults, sessions"#
    ),
  ])
  func json5(_ wrong: Case) { check(wrong.text, wrong.message) }

  @Test(arguments: [
    Case(
      "{}",
      #"1:1: this is no scenario: the key "format" is missing; a scenario begins with format: "understudy/1"; make one with understudy extract"#
    ),
    Case(
      "{ database: [ { later: 1 } ] }",
      #"1:1: this is no scenario: the key "format" is missing; a scenario begins with format: "understudy/1"; make one with understudy extract"#
    ),
    Case(
      "{ device: { color: 1 }, format: 'understudy/2' }",
      #"1:33: the format "understudy/2" is not known, only "understudy/1" is; read it with the version of understudy that wrote it"#),
    Case(
      "{ format: 'btsnoop' }", #"1:11: the format "btsnoop" is not known, only "understudy/1" is; make a scenario with understudy extract"#),
    Case("{ format: 1 }", #"1:11: the number 1 stands where the format should; write "understudy/1""#),
  ])
  func format(_ wrong: Case) { check(wrong.text, wrong.message) }

  @Test(arguments: [
    Case("rules: [ {} ]", #"2:10: the key "on" is missing in the rule; add on: { write: 0x0011 }, what the rule waits for"#),
    Case(
      "rules: [ { on: { write: 1, read: 2 } } ]",
      #"2:28: the rule waits for both "write" and "read"; write a rule for each"#),
    Case("rules: [ { on: { read: 1, value: 'a5' } } ]", #"2:27: only a write has a value; remove "value", or write write: 0x0011"#),
    Case("rules: [ { on: { write: 1, matches: 'any' } } ]", #"2:28: a matcher needs the value that it compares with; add value: "a5""#),
    Case(
      "rules: [ { on: {} } ]",
      #"2:16: the key "subscribe" is missing in what the rule waits for; add write: 0x0011, read: 0x0011 or subscribe: 0x0011"#),
    Case("rules: [ { on: { write: 1 }, answer: '00' } ]", "2:30: only a read has an answer; remove it, or write on: { read: 0x0011 }"),
    Case("rules: [ { on: { read: 1 }, answer: '00', error: 1 } ]", "2:43: the rule has both an answer and an error; remove one of them"),
    Case(
      "rules: [ { on: { subscribe: 1 }, error: 1 } ]",
      "2:34: a subscription is not refused by a rule; give its descriptor a writeError in the database"),
    Case(
      "rules: [ { on: { read: 1 }, answer: '{cnt}' } ]",
      "2:37: the answer is no template; {cnt} is no field: write {2}, {1..3}, {count}, {length}, {sum}, {xor}, {crc8}, {crc16}, {crc16modbus}, {crc32} or {value:0x0018}"
    ),
    Case(
      "rules: [ { on: { read: 1 }, then: [ {} ] } ]", "2:37: nothing is to be done; add notify: 0x0014, set: 0x0014 or disconnect: 0x13"),
    Case(
      "rules: [ { on: { read: 1 }, then: [ { notify: 1, set: 2 } ] } ]",
      #"2:50: there is both "notify" and "set"; write an element for each"#),
    Case(
      "rules: [ { on: { read: 1 }, then: [ { notify: 1 } ] } ]",
      #"2:37: the key "value" is missing in what follows; add value: "a5 {1} {sum}""#),
    Case(
      "rules: [ { on: { read: 1 }, then: [ { disconnect: 1, value: '' } ] } ]", "2:54: the end of a link has no value; remove it"),
    Case(
      "expect: [ {} ]",
      #"2:11: the key "connect" is missing in the expectation; add scan: true, attempt: true, connect: true, disconnect: true, read: 0x0011, write: 0x0011, subscribe: 0x0011, idle: 5000 or mark: "NAME""#
    ),
    Case(
      "expect: [ { connect: false } ]", #"2:22: "connect" cannot be false; remove the expectation, or write atMost: 0"#),
    Case(
      "expect: [ { connect: true, mark: 'a' } ]",
      #"2:28: the expectation is both "connect" and "mark"; write an expectation for each"#),
    Case("faults: [ 1 ]", "2:11: the number 1 stands where a fault should; write a text in double quotes"),
    Case("match: 'perAtribute'", #"2:8: the match level cannot be "perAtribute"; did you mean "perAttribute"?"#),
    Case(
      "unmatched: 'whatever'",
      #"2:12: the policy for unmatched requests cannot be "whatever"; write one of "again", "error", "last", "silence", "fail""#),
    Case("origin: {}", #"2:9: the key "file" is missing in the origin; add file: "NAME", the capture's file name"#),
    Case(
      "device: { address: 'C0:11' , addressType: 'random' }",
      #"2:11: "C0:11" is no device address; write six hexadecimal octets, as C0:11:22:33:44:55"#),
    Case(
      "device: { address: 'C0:11:22:33:44:55' }",
      #"2:9: the key "addressType" is missing in the device; add addressType: "public" or "random", it belongs to the address"#),
    Case(
      "device: { addressType: 'random' }",
      #"2:11: an address type stands without an address; add address: "C0:11:22:33:44:55", or remove it"#),
    Case("device: { addressType: 'rondom' }", #"2:24: the address type cannot be "rondom"; did you mean "random"?"#),
    Case("device: { identifier: '180D' }", #"2:23: "180D" is no identifier; write it as 6C1F93A2-0D4B-4E57-9B60-2F8A51C3D7E4"#),
    Case("device: { advertising: { rssi: 128 } }", "2:32: the signal strength cannot be 128; write a whole number from -128 to 127"),
    Case(
      "device: { advertising: {} }",
      #"2:24: the key "data" is missing in the advertising; add data: "020106", the advertising data in hexadecimal"#),
    Case(
      "device: { advertising: { data: '020' } }",
      "2:26: the advertising data has an odd number of hexadecimal digits; write two digits for each byte"),
    Case(
      "device: { advertising: { data: '0x02' } }",
      #"2:26: the advertising data holds "x", which is no hexadecimal digit; write two digits 0…9, a…f for each byte"#),
    Case("database: [ { service: '1800', end: 2 } ]", #"2:13: the key "handle" is missing in the attribute; add handle: 0x0001"#),
    Case("database: [ { handle: 0, unknown: true } ]", "2:23: the handle cannot be 0; write a handle from 0x0001 to 0xffff"),
    Case("database: [ { handle: 0x10000, unknown: true } ]", "2:23: the handle cannot be 0x10000; write a handle from 0x0001 to 0xffff"),
    Case("database: [ { handle: '1', unknown: true } ]", #"2:23: the text "1" stands where the handle should; write a number, as 0x0012"#),
    Case(
      "database: [ { handle: 1 } ]",
      "2:13: the attribute does not say what it is; add one of service, include, characteristic, descriptor, unknown"),
    Case("database: [ { handle: 1, unknown: false } ]", #"2:35: "unknown" cannot be false; write unknown: true, or remove it"#),
    Case(
      "database: [ { handle: 1, service: '1800', descriptor: '2902' } ]",
      "2:43: the attribute cannot be a service and a descriptor; write two attributes, each with its handle"),
    Case(
      "database: [ { handle: 5, service: '1800', end: 4 } ]",
      "2:43: the service ends at 0x0004, before its own handle 0x0005; correct one of them"),
    Case(
      "database: [ { handle: 5, service: '1800' } ]",
      #"2:13: the key "end" is missing in the attribute; add end: 0x0007, the last handle of the service"#),
    Case(
      "database: [ { handle: 5, include: '1800', start: 9, end: 8 } ]",
      "2:53: the included service ends at 0x0008, before its start 0x0009; correct one of them"),
    Case(
      "database: [ { handle: 5, service: '18000', end: 6 } ]",
      #"2:26: the service is "18000", which is no UUID; write 4 or 8 hexadecimal digits, or 32 with hyphens 8-4-4-4-12"#),
    Case("database: [ { handle: 5, descriptor: '2902', end: 6 } ]", #"2:46: the key "end" does not belong to a descriptor; remove it"#),
    Case(
      "database: [ { handle: 5, characteristic: '2A00', value: 6 } ]",
      #"2:13: the key "properties" is missing in the attribute; add properties: ["read"], what a central may do with it"#),
    Case(
      "database: [ { handle: 5, characteristic: '2A00', value: 6, properties: ['reed'] } ]",
      #"2:73: a property cannot be "reed"; did you mean "read"?"#),
  ])
  func deviceAndDatabase(_ wrong: Case) { check("{ format: 'understudy/1',\n" + wrong.text + " }", wrong.message) }

  @Test(arguments: [
    Case("parameters: { interval: 36 }", #"2:13: the key "latency" is missing in the parameters; add latency: 0, in connection events"#),
    Case("mtu: 22", "2:6: the session's MTU cannot be 22; write a whole number from 23 to 65535"),
    Case("subscriptions: { '12': 1 }", #"2:18: "12" is no descriptor's handle; write it in quotes, as "0x000c": 1"#),
    Case("subscriptions: { '0x000c': 1, '0x0C': 1 }", "2:31: the subscription of 0x000c stands twice; remove one of them"),
    Case("entries: [ { read: 1 } ]", #"2:12: the key "at" is missing in the entry; add at: 12.5, milliseconds since the connection"#),
    Case(
      "entries: [ { at: 1 } ]",
      "2:12: the entry does not say what happens; add one of mtu, pdu, read, readBlob, write, command, notify, indicate, securityRequest, pair, encrypt, requestParameters, updateParameters, phy, dataLength, openChannel, channelData, closeChannel, disconnect, vanish"
    ),
    Case(
      "entries: [ { at: 0.0000001, read: 1 } ]",
      "2:18: the entry's time cannot be 0.0000001; write milliseconds with up to 6 decimals (nanoseconds)"),
    Case(
      "entries: [ { at: 1e30, read: 1 } ]", "2:18: the entry's time cannot be 1e30; write less than 9223372036854 milliseconds (292 years)"),
    Case("entries: [ { at: '1', read: 1 } ]", #"2:18: the text "1" stands where the entry's time should; write a number of milliseconds"#),
    Case(
      "entries: [ { at: 1, read: 1, write: 2 } ]",
      #"2:30: the entry cannot do both "read" and "write"; make two entries of it, each in its line"#),
    Case("entries: [ { at: 1, notfy: 1 } ]", #"2:21: the key "notfy" is unknown in the entry; did you mean "notify"?"#),
    Case("entries: [ { at: 1, write: 1 } ]", #"2:12: the key "value" is missing in the entry; add value: "0100", in hexadecimal"#),
    Case(
      "entries: [ { at: 1, read: 1, value: '00' } ]",
      #"2:30: a "value" does not belong to "read"; remove it; it belongs to write, command, notify, indicate and channelData"#),
    Case(
      "entries: [ { at: 1, readBlob: 1 } ]",
      #"2:12: the key "offset" is missing in the entry; add offset: 22, where in the value it begins"#),
    Case("entries: [ { at: 1, read: 1, offset: 1 } ]", #"2:30: an "offset" does not belong to "read"; remove it; it belongs to readBlob"#),
    Case("entries: [ { at: 1, read: 1, error: 0x100 } ]", "2:30: an ATT error cannot be 256; write a number from 0 to 255"),
    Case("address: 'C0:11'", #"2:10: "C0:11" is no device address; write six hexadecimal octets, as C0:11:22:33:44:55"#),
    Case("entries: [ { at: 1, phy: { central: '2M' } } ]", #"2:26: the key "peripheral" is missing in the PHYs; add peripheral: "2M""#),
    Case("entries: [ { at: 1, phy: { central: 'codet', peripheral: 1 } } ]", #"2:37: the PHY cannot be "codet"; did you mean "coded"?"#),
    Case("entries: [ { at: 1, encrypt: 'bounded' } ]", #"2:30: the key of the encryption cannot be "bounded"; did you mean "bonded"?"#),
    Case(
      "entries: [ { at: 1, pair: { central: { io: 'displayOnly', keys: { irk: '00' } } } } ]",
      "2:72: the IRK has 16 bytes, not 1; write them all, the most significant first"),
    Case(
      "entries: [ { at: 1, pair: { central: { authentication: [] } } } ]",
      #"2:38: the key "io" is missing in the end of a pairing; add io: "noInputNoOutput", what it can show and be told"#),
    Case(
      "entries: [ { at: 1, openChannel: { channel: 1 } } ]",
      #"2:34: the key "psm" is missing in the channel; add psm: 0x0080, its protocol"#),
    Case(
      "entries: [ { at: 1, channelData: 1 } ]",
      #"2:12: the key "value" is missing in the entry; add value: "0100", in hexadecimal"#),
    Case("entries: [ { at: 1, closeChannel: 0 } ]", "2:35: the channel's number cannot be 0; write a whole number from 1 to 65535"),
    Case("entries: [ { at: 1, read: 1, answer: '00', error: 5 } ]", "2:44: the entry has both an answer and an error; remove one of them"),
    Case("entries: [ { at: 1, read: 1, answer: 'non' } ]", #"2:38: the answer cannot be "non"; did you mean "none"?"#),
    Case(
      "entries: [ { at: 1, read: 1, answer: {} } ]",
      #"2:38: the key "pdu" is missing in the answer; add pdu: "13", the whole PDU in hexadecimal"#),
    Case(
      "entries: [ { at: 1, read: 1, parts: [[0, 1]] } ]",
      "2:43: a part does not have three elements; write [milliseconds since the entry, bytes or null, latency]"),
    Case(
      "entries: [ { at: 1, read: 1, parts: [[0, 1, 2, 3]] } ]",
      "2:48: a part does not have three elements; write [milliseconds since the entry, bytes or null, latency]"),
    Case("entries: [ { at: 1, read: 1, parts: [] } ]", "2:38: the list of parts is empty; remove it, or write its parts"),
    Case("entries: [ { at: 1, vanish: false } ]", #"2:29: "vanish" cannot be false; write vanish: true, or remove it"#),
    Case(
      "entries: [ { at: 1, read: 1, id: 'previous' } ]",
      #"2:34: an id cannot be "previous"; give the entry another id; "connection", "previous" and "idle" have a meaning"#),
    Case(
      "entries: [ { at: 1, read: 1, id: 'a' },\n{ at: 1, read: 1, id: 'a' } ]",
      #"3:19: the id "a" stands twice in this session, first in line 2; give one of them another id"#),
    Case(
      "entries: [ { at: 1, notify: 1, value: '' } ]",
      #"2:12: the key "after" is missing in an entry by the peripheral; add after: "connection", "previous" or the id of an entry"#),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', delay: 1 } ]",
      #"2:43: a "delay" stands without "after"; add after: "connection", "previous" or the id of an entry"#),
    Case(
      "entries: [ { at: 1, read: 1, after: 'connection' } ]",
      #"2:30: an entry by the central cannot wait for a cause; remove "after", or add by: "peripheral""#),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', after: 'write1' }, { at: 2, read: 1, id: 'write2' } ]",
      #"2:50: no entry of this session has the id "write1"; did you mean "write2"?"#),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', after: { request: 'zzz' } } ]",
      #"2:52: no entry of this session has the id "zzz"; write "connection", "previous", "idle" or the id of an entry"#),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', after: { every: 4 } } ]",
      #"2:50: the key "write" is missing in the cause; add write: 0x0011, the attribute that is written"#),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', after: { every: 0, write: 3 } } ]",
      "2:59: the number of writes cannot be 0; write a whole number from 1 to 2147483647"),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', after: { request: 'a', every: 4, write: 3 } } ]",
      "2:66: the cause cannot be both a request and a number of writes; remove one of them"),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', after: { every: 4, write: 3, since: 'w' } }, { at: 2, read: 1, id: 'v' } ]",
      #"2:72: no entry of this session has the id "w"; did you mean "v"?"#),
    Case(
      "entries: [ { at: 1, read: 1, cancel: [] } ]",
      #"2:30: a "cancel" stands without "after"; add after: "connection", "previous" or the id of an entry"#),
    Case(
      "entries: [ { at: 1, notify: 1, value: '', after: 'idle', cancel: ['subscribe'] } ]",
      #"2:67: what cancels the entry cannot be "subscribe"; did you mean "unsubscribe"?"#),
    Case(
      "entries: [ { at: 1, read: 1, matches: 'any' } ]",
      #"2:30: "matches" does not belong to "read"; remove it; it belongs to write and command"#),
    Case(
      "entries: [ { at: 1, write: 1, value: '00', matches: 'all' } ]",
      #"2:53: the matcher cannot be "all"; write one of "any", "length""#),
    Case(
      "entries: [ { at: 1, write: 1, value: '00', matches: { mask: 'ff', prefix: 1 } } ]",
      #"2:67: the matcher has both "mask" and "prefix"; remove one of them"#),
    Case(
      "entries: [ { at: 1, write: 1, value: '00', matches: { bytes: 2 } } ]",
      #"2:53: the key "counter" is missing in the matcher; add mask: "ff00", prefix: 2, or counter: 4, the place of a number in the value"#),
    Case(
      "entries: [ { at: 1, read: 1, by: 'phone' } ]",
      #"2:34: the side that began the entry cannot be "phone"; write one of "central", "peripheral""#),
    Case(
      "entries: [ { at: 1, disconnect: 256 } ]", "2:33: the reason of the disconnection cannot be 256; write a whole number from 0 to 255"),
  ])
  func sessions(_ wrong: Case) { check("{ format: 'understudy/1', sessions: [ {\n" + wrong.text + " } ] }", wrong.message) }

  @Test func bytesThatAreNoUTF8() {
    let error = #expect(throws: ScenarioError.self) {
      try Scenario(reading: [UInt8]("{ // ".utf8) + [0xC3, 0x28], file: "f")
    }
    #expect(error?.description == "f:1:6: the byte 0xc3 is not UTF-8; save the file as UTF-8")
  }

  @Test(arguments: [
    ("notfy", "notify"), ("wirte", "write"), ("NOTE", "note"), ("answers", "answer"), ("x", nil), ("somethingElse", nil), ("", nil),
  ])
  func suggestions(word: String, expected: String?) {
    #expect(Spelling.suggestion(for: word, among: ScenarioKeys.Entry.allCases.map(\.rawValue)) == expected)
  }
}

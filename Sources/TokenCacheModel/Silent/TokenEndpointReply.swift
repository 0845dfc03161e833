// SPDX-License-Identifier: MIT

import FoundationEssentials

/// What a token endpoint answered, success or error, as it came.
public struct TokenEndpointReply: Sendable {
  /// The HTTP status.
  public let status: Int
  /// The body.
  public let body: [UInt8]
  /// The `Retry-After` header (RFC 9110 section 10.2.3), if there was one.
  public let retryAfter: String?

  /// Makes a reply.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - body: The body.
  ///   - retryAfter: The value of the `Retry-After` header as it came, which a busy server sends to be left alone.
  public init(status: Int, body: [UInt8], retryAfter: String? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }

  /// How long the server asks to be left alone, in seconds; `nil` when it does not say or can't be understood.
  func retryDelay(at now: Date) -> TimeInterval? {
    guard let text = retryAfter?.trimmed else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? TimeInterval(seconds) : nil }
    return Self.date(text).map { max(0, $0.timeIntervalSince(now)) }
  }

  /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
  private static func date(_ text: String) -> Date? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[1].count == 2,
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return try? Date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
  }
}

extension String {
  /// The text without the white space around it.
  var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension TokenEndpointReply: CustomStringConvertible, CustomReflectable {
  /// The status, without the body.
  public var description: String { "TokenEndpointReply(status: \(status))" }

  /// Shows the status only.
  public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

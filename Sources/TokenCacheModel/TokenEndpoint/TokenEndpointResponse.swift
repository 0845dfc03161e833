// SPDX-License-Identifier: MIT

import FoundationEssentials

/// The HTTP response of a token endpoint, whether success or error.
public struct TokenEndpointResponse: Sendable {
  /// The HTTP status.
  public let status: Int
  /// The body.
  public let body: [UInt8]
  /// The value of the `Retry-After` header (RFC 9110 section 10.2.3), if there was one.
  public let retryAfter: String?

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - body: The body.
  ///   - retryAfter: The unchanged value of the `Retry-After` header, with which a busy server asks clients to wait.
  public init(status: Int, body: [UInt8], retryAfter: String? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }

  /// Whether the status says that the request was carried out.
  package var isSuccess: Bool { (200...299).contains(status) }

  /// Returns how long the server asks to wait, in seconds; `nil` without a valid `Retry-After`.
  func retryDelay(at now: Date) -> TimeInterval? {
    guard let text = retryAfter?.trimmed else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? TimeInterval(seconds) : nil }
    return Self.date(text).map { max(0, $0.timeIntervalSince(now)) }
  }

  /// Parses a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
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
  /// The text without leading and trailing white space.
  var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension TokenEndpointResponse: CustomStringConvertible, CustomReflectable {
  /// The status, without the body.
  public var description: String { "TokenEndpointResponse(status: \(status))" }

  /// A mirror that shows the status only.
  public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

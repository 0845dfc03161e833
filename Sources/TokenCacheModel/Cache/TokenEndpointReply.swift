// SPDX-License-Identifier: MIT

/// What a token endpoint answered, success or error, as it came.
public struct TokenEndpointReply: Sendable {
  /// The HTTP status.
  public let status: Int
  /// The body.
  public let body: [UInt8]

  /// Makes a reply.
  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

extension TokenEndpointReply: CustomStringConvertible, CustomReflectable {
  /// The status, without the body.
  public var description: String { "TokenEndpointReply(status: \(status))" }

  /// Shows the status only.
  public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

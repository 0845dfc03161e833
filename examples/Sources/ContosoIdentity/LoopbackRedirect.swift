// SPDX-License-Identifier: MIT

import Foundation
public import SecretStoreCache

/// A redirect URI on the loopback interface (RFC 8252 section 7.3), such as `http://127.0.0.1:8401/com.contoso.mail`.
///
/// Apps that share a client id each register their own URI with the provider, which tells them apart by it.
public struct LoopbackRedirect: Sendable, Hashable {
  /// The URI exactly as it is registered.
  public let uri: String
  /// The port to listen on.
  public let port: UInt16
  /// The path, which is the app's own.
  public let path: String

  /// Parses a redirect URI.
  ///
  /// - Throws: `invalidRedirectURI` unless it is `http://127.0.0.1:PORT/PATH`. The name `localhost` is refused because
  ///   it may resolve to another machine (RFC 8252 section 8.3).
  public init(_ uri: String) throws(SecretStoreError) {
    guard let parts = URLComponents(string: uri), parts.scheme == "http", parts.host == "127.0.0.1",
      let port = parts.port.flatMap(UInt16.init(exactly:)), port > 0,
      parts.path.count > 1, parts.path.allSatisfy(Self.isPlain),
      parts.query == nil, parts.fragment == nil, parts.user == nil
    else {
      throw SecretStoreError(.invalidRedirectURI, "The redirect URI is not http://127.0.0.1:PORT/PATH.")
    }
    self.uri = uri
    self.port = port
    self.path = parts.path
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "/.-_".contains(character))
  }
}

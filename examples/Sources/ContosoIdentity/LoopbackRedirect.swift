// SPDX-License-Identifier: MIT

import Foundation
public import SecretStoreCache

/// A redirect URI on the loopback interface (RFC 8252 section 7.3), such as
/// `http://127.0.0.1:8401/com.contoso.mail`.
///
/// Apps that share a client id each have their own, registered with the provider, by which it tells them
/// apart.
public struct LoopbackRedirect: Sendable, Hashable {
  /// The URI, to the letter as it is registered.
  public let uri: String
  /// The port to listen on.
  public let port: UInt16
  /// The path; the app's own.
  public let path: String

  /// Reads a redirect URI.
  ///
  /// - Throws: `invalidRedirectURI` unless it is `http://127.0.0.1:PORT/PATH`. The name `localhost` is not
  ///   taken: it can be another machine's (RFC 8252 section 8.3).
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

// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import StrictJSON
public import UnifiedCache

/// A client's metadata of one account: its sign-in state and its resolved authorities.
///
/// Unknown members survive a rewrite. The description is redacted.
public struct KeychainAccountState: Sendable, Hashable {
  /// The name of the authority map; the misspelling is part of the stored format.
  static let map = "athority_map"
  static let state = "sign_in_state"

  /// All members, under the names that MSAL for iOS and macOS uses.
  public internal(set) var fields: JSONObject

  /// Creates the state of an account that has just signed in.
  public init() { fields = [Self.state: .string(CacheDocument.SignInState.signedIn.rawValue)] }

  /// Creates a state from its stored members.
  public init(fields: JSONObject) { self.fields = fields }

  /// Whether the app is signed in to the account; `nil` when that is not known.
  ///
  /// Setting it to signed out removes all authorities.
  public var signInState: CacheDocument.SignInState? {
    get { fields[Self.state]?.stringValue.flatMap(CacheDocument.SignInState.init) }
    set {
      fields[Self.state] = .string(newValue?.rawValue ?? "unknown")
      if newValue == .signedOut { fields[Self.map] = nil }
    }
  }

  /// Returns the authority that a requested one resolved to; `nil` when none is known or the app is signed out.
  ///
  /// - Parameters:
  ///   - requested: The requested authority's URL.
  ///   - isInstanceAware: Whether the request allowed an authority of another cloud.
  public func authorityURL(for requested: String, isInstanceAware: Bool = false) -> String? {
    if signInState == .signedOut { return nil }
    return fields[Self.map]?.objectValue?[Self.section(isInstanceAware)]?.objectValue?[requested]?.stringValue
  }

  /// Stores the authority that a requested one resolved to, and marks the account as signed in.
  ///
  /// Does nothing when both URLs are the same.
  ///
  /// - Throws: `invalidArgument` when one of the URLs is blank.
  public mutating func setAuthorityURL(
    _ resolved: String, for requested: String, isInstanceAware: Bool = false
  ) throws(SecretStoreError) {
    if KeychainText.isBlank(resolved) || KeychainText.isBlank(requested) {
      throw SecretStoreError(.invalidArgument, "An authority's URL is blank.")
    }
    if resolved == requested { return }
    if signInState == .signedOut { fields[Self.map] = nil }
    var map = fields[Self.map]?.objectValue ?? [:]
    var section = map[Self.section(isInstanceAware)]?.objectValue ?? [:]
    section[requested] = .string(resolved)
    map[Self.section(isInstanceAware)] = .object(section)
    fields[Self.map] = .object(map)
    signInState = .signedIn
  }

  private static func section(_ isInstanceAware: Bool) -> String {
    isInstanceAware ? "URLMap-instance_aware=YES" : "URLMap-"
  }
}

extension KeychainAccountState: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "KeychainAccountState(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

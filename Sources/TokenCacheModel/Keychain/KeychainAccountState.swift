// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// What a client knows of one account: whether it is signed in, and which authority answered for which.
///
/// Members that this version doesn't know survive a rewrite. Its description shows none of it.
public struct KeychainAccountState: Sendable, Hashable {
  /// The map's name, spelled as it is stored.
  static let map = "athority_map"
  static let state = "sign_in_state"

  /// All members, under the names that MSAL for iOS and macOS gives them.
  public internal(set) var fields: JSONObject

  /// Makes the state of an account that has just signed in.
  public init() { fields = [Self.state: .string(SharingState.SignInState.signedIn.rawValue)] }

  /// Takes the members as they are stored.
  public init(fields: JSONObject) { self.fields = fields }

  /// Whether the app is signed in to the account; `nil` when that is not known.
  ///
  /// Signing out forgets all authorities.
  public var signInState: SharingState.SignInState? {
    get { fields[Self.state]?.stringValue.flatMap(SharingState.SignInState.init) }
    set {
      fields[Self.state] = .string(newValue?.rawValue ?? "unknown")
      if newValue == .signedOut { fields[Self.map] = nil }
    }
  }

  /// The authority that answered for another one; `nil` when none is known, or the app is signed out.
  ///
  /// - Parameters:
  ///   - requested: The URL of the authority asked for.
  ///   - isInstanceAware: Whether the authority of another cloud was let answer.
  public func authorityURL(for requested: String, isInstanceAware: Bool = false) -> String? {
    if signInState == .signedOut { return nil }
    return fields[Self.map]?.objectValue?[Self.section(isInstanceAware)]?.objectValue?[requested]?.stringValue
  }

  /// Notes which authority answered for another one, which means that the account is signed in.
  ///
  /// There is nothing to note of an authority that answers for itself.
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
  /// Names the type and nothing of what it holds.
  public var description: String { "KeychainAccountState(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

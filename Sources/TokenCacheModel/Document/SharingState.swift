// SPDX-License-Identifier: MIT

import FoundationEssentials
public import KeychainGroupModel

/// A document's own section: which apps of the client are signed in or out, and how often it changed.
///
/// Signing out of one app hides the account from that app and no other, even when apps share a client id; the
/// tokens go with the last app that uses them. The section stays behind as the record of that.
public struct SharingState: Sendable, Hashable {
  /// Whether an app uses the account.
  public enum SignInState: String, Sendable {
    /// The app has signed in, or was given a token silently.
    case signedIn = "signed_in"
    /// The app has signed out; it is not given a token until it signs in again.
    case signedOut = "signed_out"
  }

  /// All members as they are stored.
  var fields: JSONObject

  init(fields: JSONObject = [:]) { self.fields = fields }

  /// How often the document was written.
  public internal(set) var revision: Int {
    get { number("revision") }
    set { fields["revision"] = .init(integerLiteral: newValue) }
  }

  /// How often the account was signed out: a token that was asked for before is dropped when it comes after.
  public internal(set) var epoch: Int {
    get { number("epoch") }
    set { fields["epoch"] = .init(integerLiteral: newValue) }
  }

  /// When the refresh token was stored; `nil` when that is not known.
  ///
  /// A refresh token's entry does not say it in the form that most MSALs share.
  var refreshTokenAt: Date? {
    get { UnixTime.date(fields["refresh_token_at"]) }
    set { fields["refresh_token_at"] = UnixTime.value(newValue) }
  }

  /// What is known of an app; `nil` for an app that never used the account.
  public internal(set) subscript(app: AppIdentifier) -> SignInState? {
    get { fields["apps"]?.objectValue?[app.name]?.stringValue.flatMap(SignInState.init) }
    set {
      var apps = fields["apps"]?.objectValue ?? [:]
      apps[app.name] = newValue.map { .string($0.rawValue) }
      fields["apps"] = .object(apps)
    }
  }

  /// What is known of an app, and nothing of nobody.
  subscript(app: AppIdentifier?) -> SignInState? {
    get { app.flatMap { self[$0] } }
    set { if let app { self[app] = newValue } }
  }

  /// The apps in a state.
  public func apps(_ state: SignInState) -> [String] {
    guard let apps = fields["apps"]?.objectValue else { return [] }
    return apps.compactMap { $0.value.stringValue == state.rawValue ? $0.key : nil }
  }

  /// Marks every app that is signed in as signed out.
  mutating func signOutAllApps() {
    var apps = fields["apps"]?.objectValue ?? [:]
    for (name, value) in apps where value.stringValue == SignInState.signedIn.rawValue {
      apps[name] = .string(SignInState.signedOut.rawValue)
    }
    fields["apps"] = .object(apps)
  }

  /// Takes over what another copy of the record says of apps.
  ///
  /// - Parameter isOlder: Whether the copy's tokens are older than this record's: then what this one says of an app
  ///   stands. Otherwise an app that is signed out in either is.
  mutating func takeApps(of copy: SharingState, isOlder: Bool) {
    for (state, always) in [(SignInState.signedIn, false), (.signedOut, !isOlder)] {
      for name in copy.apps(state) {
        var apps = fields["apps"]?.objectValue ?? [:]
        if apps[name] == nil || always { apps[name] = .string(state.rawValue) }
        fields["apps"] = .object(apps)
      }
    }
    if epoch != max(epoch, copy.epoch) { epoch = copy.epoch }
  }

  /// Forgets which apps use the account.
  mutating func forgetApps() { fields["apps"] = nil }

  /// Forgets which apps are signed out: the account is everybody's again.
  mutating func forgetSignedOutApps() {
    var apps = fields["apps"]?.objectValue ?? [:]
    for (name, value) in apps where value.stringValue == SignInState.signedOut.rawValue { apps[name] = nil }
    if fields["apps"] != nil { fields["apps"] = .object(apps) }
  }

  /// A count; one that nothing was counted up to, such as a negative one, is none.
  private func number(_ name: String) -> Int {
    guard let count = fields[name]?.textValue.flatMap({ Int($0) }), (0...(1 << 53)).contains(count) else {
      return 0
    }
    return count
  }
}

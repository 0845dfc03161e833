// SPDX-License-Identifier: MIT

package import FoundationEssentials
package import KeychainGroupModel
package import StrictJSON

/// The package's own section of a document: the sign-in states of the client's apps, and counters.
///
/// Signing out of one app hides the account from that app only, even when apps share a client ID. The last app that
/// uses the tokens removes them when it signs out. The section stays afterwards, to record the sign-outs.
package struct DocumentMetadata: Sendable, Hashable {
  package typealias SignInState = CacheDocument.SignInState

  /// All members, as they are stored.
  package var fields: JSONObject

  package init(fields: JSONObject = [:]) { self.fields = fields }

  /// The newest format that this version reads.
  static let format = 1

  /// The document's format, 1 unless a newer version has written another.
  ///
  /// Only a change after which older versions must neither use nor write the record takes a number.
  var format: Int { max(1, number("format")) }

  /// Whether a newer version of the library wrote the document, in a format that this one doesn't read.
  package var isOfNewerVersion: Bool { format > Self.format }

  /// The highest number that counts: JSON of other programs keeps no higher one.
  package static let highestRevision = 1 << 53

  /// The number of writes of the document.
  package var revision: Int {
    get { number("revision") }
    set { fields["revision"] = Self.counter(newValue) }
  }

  /// A number that each sign-out raises; 0 where there was none.
  ///
  /// A token that was requested before a sign-out and arrives after it is discarded. The member's name is `epoch`.
  package var signOutNumber: Int {
    get { number("epoch") }
    set { fields["epoch"] = Self.counter(newValue) }
  }

  /// Raises the sign-out number, to the milliseconds since 1970 at least.
  ///
  /// A record that is made anew, in place of a damaged or removed one, so gets another number than the former one had.
  package mutating func raiseSignOutNumber() {
    let time = Int(Date().timeIntervalSince1970 * 1000)
    signOutNumber = signOutNumber < Self.highestRevision ? max(signOutNumber + 1, time) : time
  }

  /// The number of times that entries were removed although others of the record stay.
  ///
  /// That is an account's from a record of another one, or what an import replaced. A write that changes it also
  /// deletes the other copies of the record, which may hold what was removed.
  package var removalCount: Int {
    get { number("removals") }
    set { fields["removals"] = Self.counter(newValue) }
  }

  /// The time when the refresh token was stored, or `nil` when it is unknown.
  ///
  /// The refresh token entry of most MSALs does not hold it.
  package var refreshTokenAt: Date? {
    get { UnixTime.date(fields["refresh_token_at"]) }
    set { fields["refresh_token_at"] = UnixTime.value(newValue) }
  }

  /// The sign-in state of an app, or `nil` for an app that never used the account.
  package subscript(app: AppIdentifier) -> SignInState? {
    get { fields["apps"]?.objectValue?[app.name]?.stringValue.flatMap(SignInState.init) }
    set {
      var apps = fields["apps"]?.objectValue ?? [:]
      apps[app.name] = newValue.map { .string($0.rawValue) }
      fields["apps"] = .object(apps)
      if newValue == .signedIn { signOut = nil }
    }
  }

  /// The sign-in state of an app, or `nil` without an app.
  package subscript(app: AppIdentifier?) -> SignInState? {
    get { app.flatMap { self[$0] } }
    set { if let app { self[app] = newValue } }
  }

  /// The sign-out that removed the account's tokens, which explains to other apps why they are missing; `nil` when
  /// there was none since the last sign-in, or it is not known.
  package var signOut: (app: String, date: Date)? {
    get {
      guard let app = fields["signed_out_by"]?.stringValue, let date = UnixTime.date(fields["signed_out_at"])
      else { return nil }
      return (Self.shown(app), date)
    }
    set {
      fields["signed_out_by"] = newValue.map { .string($0.app) }
      fields["signed_out_at"] = UnixTime.value(newValue?.date)
    }
  }

  /// Returns the name of an app as errors and the log show it: any program can have written it.
  package static func shown(_ app: String) -> String {
    app.isEmpty || app.utf8.count > 255 || app.hasUnsafeCharacter ? "An app" : app
  }

  /// Returns which other app removed the account's tokens and when, as a sentence after a space; otherwise an empty
  /// text.
  ///
  /// - Parameter app: The app that asks.
  package func removalNotice(for app: AppIdentifier?) -> String {
    guard let signOut, signOut.app != app?.name else { return "" }
    return " \(signOut.app) removed its tokens on \(signOut.date.formatted(.iso8601))."
  }

  /// Returns the apps in a state.
  package func apps(_ state: SignInState) -> [String] {
    guard let apps = fields["apps"]?.objectValue else { return [] }
    return apps.compactMap { $0.value.stringValue == state.rawValue ? $0.key : nil }
  }

  /// Changes the state of every signed-in app to signed out.
  package mutating func signOutAllApps() {
    var apps = fields["apps"]?.objectValue ?? [:]
    for (name, value) in apps where value.stringValue == SignInState.signedIn.rawValue {
      apps[name] = .string(SignInState.signedOut.rawValue)
    }
    fields["apps"] = .object(apps)
  }

  /// Merges the sign-in states and the sign-out number from another copy of the record.
  ///
  /// - Parameter isOlder: Whether the copy's tokens are older than this record's. If so, this record's states take
  ///   precedence. Otherwise an app is signed out if it is signed out in either copy.
  package mutating func mergeApps(of copy: DocumentMetadata, isOlder: Bool) {
    for (state, always) in [(SignInState.signedIn, false), (.signedOut, !isOlder)] {
      for name in copy.apps(state) {
        var apps = fields["apps"]?.objectValue ?? [:]
        if apps[name] == nil || always { apps[name] = .string(state.rawValue) }
        fields["apps"] = .object(apps)
      }
    }
    if signOutNumber != max(signOutNumber, copy.signOutNumber) {
      signOutNumber = copy.signOutNumber
      signOut = copy.signOut
    }
  }

  /// Removes the sign-in states of all apps.
  package mutating func forgetApps() { fields["apps"] = nil }

  /// Removes the state of signed-out apps, so that the account is visible to all apps again.
  package mutating func forgetSignedOutApps() {
    var apps = fields["apps"]?.objectValue ?? [:]
    for (name, value) in apps where value.stringValue == SignInState.signedOut.rawValue { apps[name] = nil }
    if fields["apps"] != nil { fields["apps"] = .object(apps) }
  }

  /// Returns the value of a counter; beyond the highest number it goes on from 1, so that it differs from before.
  private static func counter(_ number: Int) -> JSONValue {
    .init(integerLiteral: number > highestRevision ? 1 : number)
  }

  /// Reads a counter.
  ///
  /// A missing, malformed, negative or too large value (over 2^53) counts as 0.
  private func number(_ name: String) -> Int {
    guard let count = fields[name]?.textValue.flatMap({ Int($0) }), (0...Self.highestRevision).contains(count)
    else {
      return 0
    }
    return count
  }
}

// SPDX-License-Identifier: MIT

extension SecretStoreError {
  /// The kinds of failure.
  ///
  /// The list can grow: always handle an unknown code like `storageFailed`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Storage: String, CaseIterable {
      case interactionRequired, declinedScopes, notEntitled, groupLocked, groupUnrecoverable, promptDismissed
      case serviceUnavailable, insecureTransport, storageFailed, timedOut, leaseTimedOut, ambiguousAccount
      case accountMismatch, identityMismatch, serverError, networkError, invalidRedirectURI, invalidArgument
      case corruptItem, conflict
    }

    private let storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// The code's name, as the tool prints it.
    public var description: String { storage.rawValue }

    /// Every code there is, for tables and tests.
    public static let all: [Code] = Storage.allCases.map(Code.init)

    /// Whether `SecretStore.diagnose`, or `sso-cache doctor` for a person, can tell what is amiss: whether the cause is in
    /// the desktop, and not in the call, the account or the server.
    public var isDiagnosable: Bool {
      switch storage {
      case .notEntitled, .identityMismatch, .groupLocked, .groupUnrecoverable, .serviceUnavailable,
        .insecureTransport, .storageFailed, .timedOut, .leaseTimedOut, .corruptItem:
        true
      default: false
      }
    }

    /// No token can be had silently: sign the user in.
    public static let interactionRequired = Code(.interactionRequired)
    /// The server granted fewer scopes than were asked for; what it granted is in the cache.
    public static let declinedScopes = Code(.declinedScopes)
    /// The app's entitlements do not list this access group.
    public static let notEntitled = Code(.notEntitled)
    /// The group exists and is locked; silent calls never prompt.
    public static let groupLocked = Code(.groupLocked)
    /// The group is locked, its password is lost, and nothing can read it again: reset it.
    public static let groupUnrecoverable = Code(.groupUnrecoverable)
    /// A person closed the dialog, or refused the sign-in in the browser.
    public static let promptDismissed = Code(.promptDismissed)
    /// There is no session bus, no Secret Service on it, or it went away.
    public static let serviceUnavailable = Code(.serviceUnavailable)
    /// The service offers only the unencrypted session.
    public static let insecureTransport = Code(.insecureTransport)
    /// The service, the disk or the runtime directory refused a read or a write.
    public static let storageFailed = Code(.storageFailed)
    /// The deadline passed before the service answered.
    public static let timedOut = Code(.timedOut)
    /// Another app held the write lock of a document longer than the deadline, or, where no lock is shared, others wrote
    /// it over until then: what was to be saved may be there, or not.
    public static let leaseTimedOut = Code(.leaseTimedOut)
    /// Several accounts fit; name one by its identifier.
    public static let ambiguousAccount = Code(.ambiguousAccount)
    /// The server answered for another account than the one asked for.
    public static let accountMismatch = Code(.accountMismatch)
    /// The app is not who it says it is.
    public static let identityMismatch = Code(.identityMismatch)
    /// The token endpoint answered with an error that signing in again would not mend.
    public static let serverError = Code(.serverError)
    /// The token endpoint could not be reached.
    public static let networkError = Code(.networkError)
    /// A redirect URI breaks one of the rules, or a URL that was opened answers no sign-in of the app.
    public static let invalidRedirectURI = Code(.invalidRedirectURI)
    /// An argument is malformed; nothing was done.
    public static let invalidArgument = Code(.invalidArgument)
    /// A stored item, or a file or response given to us, does not decode; it was left as it is.
    public static let corruptItem = Code(.corruptItem)
    /// Another secret has the name of one that was to be stored beside it; nothing was done.
    public static let conflict = Code(.conflict)
  }
}

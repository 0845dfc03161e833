// SPDX-License-Identifier: MIT

extension SecretStoreError {
  /// The kind of a failure.
  ///
  /// More codes may be added. Treat an unknown code as `storageFailed`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Storage: String, CaseIterable {
      case interactionRequired, declinedScopes, notEntitled, groupLocked, groupUnrecoverable, promptDismissed
      case serviceUnavailable, insecureTransport, storageFailed, timedOut, lockTimedOut, ambiguousAccount
      case accountMismatch, identityMismatch, serverError, networkError, invalidRedirectURI, invalidArgument
      case corruptItem, invalidResponse, missingClientInfo, invalidFile, conflict, protectionPolicyRequired
      case interactiveSessionAlreadyRunning
    }

    private let storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// The code's name, as `sso-cache` prints it.
    public var description: String { storage.rawValue }

    /// All codes, for tables and tests.
    public static let all: [Code] = Storage.allCases.map(Code.init)

    /// Whether `SecretStore.diagnose` and `sso-cache doctor` can find the cause of the failure.
    ///
    /// They can when the cause is in the desktop session. They cannot when it is in the call, the account or the
    /// server.
    public var isDiagnosable: Bool {
      switch storage {
      case .notEntitled, .identityMismatch, .groupLocked, .groupUnrecoverable, .serviceUnavailable,
        .insecureTransport, .storageFailed, .timedOut, .lockTimedOut, .corruptItem:
        true
      default: false
      }
    }

    /// Returns whether an error is a ``SecretStoreError`` with a code, for `catch`.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? SecretStoreError)?.code == code
    }

    /// No token is available silently: sign the user in interactively.
    public static let interactionRequired = Code(.interactionRequired)
    /// The server granted fewer scopes than were requested; the granted token is in the cache.
    public static let declinedScopes = Code(.declinedScopes)
    /// The organization gives tokens only to apps and devices that its app protection policy covers.
    ///
    /// A new sign-in does not help. Nothing was removed: when the app and the device are covered, the silent call
    /// works.
    public static let protectionPolicyRequired = Code(.protectionPolicyRequired)
    /// The app's entitlements do not list this access group.
    public static let notEntitled = Code(.notEntitled)
    /// The group exists and is locked; silent calls never prompt.
    public static let groupLocked = Code(.groupLocked)
    /// The group is locked, its password is lost, and nothing can read it again: reset it.
    public static let groupUnrecoverable = Code(.groupUnrecoverable)
    /// The user dismissed the prompt, denied the sign-in in the browser, or did not sign in in time.
    public static let promptDismissed = Code(.promptDismissed)
    /// There is no session bus, the bus has no Secret Service, or the service went away.
    public static let serviceUnavailable = Code(.serviceUnavailable)
    /// The Secret Service offers only the unencrypted (`plain`) session.
    public static let insecureTransport = Code(.insecureTransport)
    /// The Secret Service, the disk or the runtime directory refused a read or a write.
    public static let storageFailed = Code(.storageFailed)
    /// Another sign-in of the app waits for its response: one waits at a time.
    public static let interactiveSessionAlreadyRunning = Code(.interactiveSessionAlreadyRunning)
    /// The deadline passed before the Secret Service, or another program, replied.
    public static let timedOut = Code(.timedOut)
    /// Another app held a lock until the deadline, such as the write lock of a record or the lock for creating groups.
    ///
    /// What the lock is for was not done. Where apps share no lock, the code means that other apps overwrote the record
    /// until the deadline; then it may or may not be stored.
    public static let lockTimedOut = Code(.lockTimedOut)
    /// Several accounts match: name one by its identifier.
    public static let ambiguousAccount = Code(.ambiguousAccount)
    /// The server's response is for another account than the one requested.
    public static let accountMismatch = Code(.accountMismatch)
    /// The app is not the one that it claims to be.
    public static let identityMismatch = Code(.identityMismatch)
    /// The token endpoint or the identity broker returned an error that a new sign-in would not fix.
    public static let serverError = Code(.serverError)
    /// The token endpoint could not be reached, or the identity broker did not reply.
    public static let networkError = Code(.networkError)
    /// A redirect URI breaks a rule, or an opened URL is not the response to a sign-in of the app.
    public static let invalidRedirectURI = Code(.invalidRedirectURI)
    /// An argument is malformed; nothing was done.
    public static let invalidArgument = Code(.invalidArgument)
    /// A stored item can't be read; it was left unchanged.
    public static let corruptItem = Code(.corruptItem)
    /// A server's response is malformed, or does not name its account; nothing was saved.
    public static let invalidResponse = Code(.invalidResponse)
    /// Azure AD's response does not name its account, because the request lacked the parameter `client_info=1`; nothing
    /// was saved.
    public static let missingClientInfo = Code(.missingClientInfo)
    /// A file, such as a cache to import or a property list, is malformed or too large; nothing was imported.
    public static let invalidFile = Code(.invalidFile)
    /// Another secret already has the name of the secret to store; nothing was done.
    public static let conflict = Code(.conflict)
  }
}

// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// What the window knows, and the page that it shows by that.
///
/// It is a value without GTK and without calls: each function takes what has happened, and returns what is to be done.
public struct MailState: Sendable {
  /// The page of the window.
  public enum Page: Sendable, Hashable {
    /// Nothing is known yet.
    case starting
    /// The suite has no provider, or a wrong setting.
    case notSetUp(String)
    /// Nobody is signed in.
    case signedOut
    /// The browser is open for a sign-in.
    case waitingForBrowser
    case inbox(Inbox)
    /// The group is locked; `isOpening` while the desktop's dialog is open.
    case locked(isOpening: Bool)
    /// Nothing can open the group any more.
    case lost(remedy: String)
    /// There is no Secret Service, or it does not reply.
    case unavailable(remedy: String)
  }

  /// The page of those who are signed in.
  public struct Inbox: Sendable, Hashable {
    /// Everybody who is signed in.
    public let people: [Person]
    /// Whose inbox it is.
    public let selected: Person
    /// The messages of the selected person; `nil` until they were fetched once.
    public let messages: [Message]?
    /// What keeps it from being up to date; `nil` when nothing does.
    public let notice: Notice?
  }

  /// What keeps the inbox from being up to date.
  public enum Notice: Sendable, Hashable {
    case offline
    case signInAgain
    /// The Secret Service does not reply.
    case unavailable
    /// Something else went wrong; the text is for the user.
    case failed(String)
  }

  /// What is to be done after something has happened.
  public enum Effect: Sendable, Hashable {
    /// Fetch the messages of an account.
    case fetch(Account)
    /// List the accounts.
    case list
    /// Try whether the group opens without a dialog.
    case openSilently
    /// Ask doctor for a remedy.
    case diagnose(SecretStoreError.Code)
    /// Tell the user in a toast.
    case tell(String)
  }

  enum Group: Sendable, Hashable {
    case unknown, open, locked, lost, unavailable
  }

  var accounts: [Account] = []
  /// Whether the accounts are those of the group; `false` until it could be read once.
  var knowsAccounts = false
  /// The account that the user has chosen.
  var chosen: Account?
  var group = Group.unknown
  /// The state of the group before it became unavailable.
  var groupBefore = Group.open
  /// Doctor's advice against the state of the group.
  var remedy = ""
  var isOpening = false
  var isSigningIn = false
  /// The reason why the app can't begin.
  var problem: String?
  var messages: [Account: [Message]] = [:]
  var notices: [Account: Notice] = [:]
  var fetching: Set<Account> = []
  /// The accounts that came while a sign-in of this window was under way: one of them is its own.
  var arrivals: [Account] = []
  /// The account that the user signs out of.
  var signingOut: Account?

  /// Creates the state of a window that has just begun.
  public init() {}

  /// The account whose inbox is shown.
  public var selected: Account? { chosen.flatMap { accounts.contains($0) ? $0 : nil } ?? accounts.first }

  /// The page that the window shows now.
  public var page: Page {
    if let problem { return .notSetUp(problem) }
    if isSigningIn { return .waitingForBrowser }
    switch group {
    case .unknown: return .starting
    case .lost: return .lost(remedy: remedy)
    case .locked: return .locked(isOpening: isOpening)
    case .open where !knowsAccounts: return .starting
    case .open, .unavailable: break
    }
    guard let selected else { return group == .unavailable ? .unavailable(remedy: remedy) : .signedOut }
    return .inbox(
      Inbox(
        people: accounts.map(Person.init), selected: Person(selected), messages: messages[selected],
        notice: group == .unavailable ? .unavailable : notices[selected]))
  }
}

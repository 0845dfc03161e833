// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing

@testable import MailModel

let ada = Account(
  identifier: "1", username: "ada@contoso.com", environment: "https://id.contoso.com/a", name: "Ada")
let grace = Account(
  identifier: "2", username: "grace@contoso.com", environment: "https://id.contoso.com/a", name: "Grace")

func state(_ accounts: [Account], in group: GroupState = .open(placement: "1")) -> MailState {
  var state = MailState()
  _ = state.take(.snapshot(GroupSnapshot(state: group, accounts: accounts)))
  return state
}

/// Expects what a call returns that changes the state; `#expect` takes no such call.
func check<Value: Equatable>(
  _ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, sourceLocation: location)
}

extension MailState {
  var inbox: Inbox? { if case .inbox(let inbox) = page { inbox } else { nil } }
}

@Suite("The pages of the window")
struct PageTests {
  @Test("Until the first snapshot nothing is shown")
  func start() { #expect(MailState().page == .starting) }

  @Test(
    "The snapshot decides the first page",
    arguments: [
      (GroupState.absent, MailState.Page.signedOut), (.open(placement: "1"), .signedOut),
      (.locked, .locked(isOpening: false)), (.unrecoverable, .lost(remedy: "")),
      (.unavailable, .unavailable(remedy: "")),
    ])
  func snapshot(group: GroupState, page: MailState.Page) { #expect(state([], in: group).page == page) }

  @Test("Who is signed in has an inbox at once, before a message was fetched")
  func inbox() {
    let inbox = state([ada, grace]).inbox
    #expect(inbox?.people.map(\.name) == ["Ada", "Grace"])
    #expect(inbox?.selected == Person(ada))
    #expect(inbox?.messages == nil)
  }

  @Test("A wrong setting is shown whatever the group is")
  func problem() {
    var state = state([ada])
    state.notSetUp("No provider.")
    #expect(state.page == .notSetUp("No provider."))
  }

  @Test("A group that is locked is opened silently before its page is shown")
  func locked() {
    var state = state([ada])
    check(state.take(.groupLocked), [.openSilently])
    #expect(state.inbox != nil)
    check(state.opened(.failure(SecretStoreError(.groupLocked, ""))), [])
    #expect(state.page == .locked(isOpening: false))
    check(state.take(.groupUnlocked), [])
    #expect(state.inbox?.selected == Person(ada))
  }

  @Test("What a group holds that was locked at the start is no news, and nobody seems signed out meanwhile")
  func opened() {
    var state = state([], in: .locked)
    check(state.take(.groupUnlocked), [.list])
    #expect(state.page == .starting)
    check(state.take(.accountAdded(ada)), [])
    check(state.listed([ada]), [.fetch(ada)])
    #expect(state.inbox != nil)
  }

  @Test("One dialog is open at a time, and one that is closed leaves the page without a complaint")
  func dialog() {
    var state = state([], in: .locked)
    check(state.beginOpening(), true)
    check(state.beginOpening(), false)
    #expect(state.page == .locked(isOpening: true))
    check(state.opened(.failure(SecretStoreError(.promptDismissed, ""))), [])
    #expect(state.page == .locked(isOpening: false))
  }

  @Test("A lost group shows doctor's remedy, which is asked for once")
  func lost() {
    var state = state([ada])
    check(state.take(.groupUnrecoverable), [.diagnose(.groupUnrecoverable)])
    check(state.take(.groupUnrecoverable), [])
    state.diagnosed("Run\nthis.")
    #expect(state.page == .lost(remedy: "Run this."))
  }

  @Test("While the service is away the inbox stays, with a notice that goes when the service is back")
  func unavailable() {
    var state = state([ada])
    check(state.take(.unavailable), [.diagnose(.serviceUnavailable)])
    #expect(state.inbox?.notice == .unavailable)
    check(state.take(.available), [])
    #expect(state.inbox?.notice == nil)
  }

  @Test("A group that was locked before the service went is locked after it came back")
  func lockedMeanwhile() {
    var state = state([], in: .locked)
    _ = state.take(.unavailable)
    _ = state.take(.available)
    #expect(state.page == .locked(isOpening: false))
  }
}

@Suite("Accounts that come and go")
struct AccountChangeTests {
  @Test("Another app's sign-in and sign-out are told")
  func others() {
    var state = state([])
    check(
      state.take(.accountAdded(ada)),
      [
        .tell("ada@contoso.com signed in with another Contoso app."), .fetch(ada),
      ])
    check(state.take(.accountAdded(ada)), [])
    check(state.take(.accountRemoved(ada)), [.tell("ada@contoso.com was signed out.")])
    #expect(state.page == .signedOut)
  }

  @Test(
    "The window's own sign-in is not told, whether the feed or the call is first", arguments: [true, false])
  func ownSignIn(feedIsFirst: Bool) {
    var state = state([])
    check(state.beginSignIn(), true)
    #expect(state.page == .waitingForBrowser)
    if feedIsFirst { check(state.take(.accountAdded(ada)), []) }
    check(state.signedIn(ada), [.fetch(ada)])
    if !feedIsFirst { check(state.take(.accountAdded(ada)), []) }
    #expect(state.inbox?.people.count == 1)
  }

  @Test("Another app's sign-in during the window's own is told afterwards")
  func both() {
    var state = state([])
    _ = state.beginSignIn()
    _ = state.take(.accountAdded(grace))
    check(state.signedIn(ada), [.tell("grace@contoso.com signed in with another Contoso app."), .fetch(ada)])
  }

  @Test("One sign-in is under way at a time, and one that ends leaves the page of before")
  func signInFails() {
    var state = state([])
    check(state.beginSignIn(), true)
    check(state.beginSignIn(), false)
    check(state.signInFailed(nil), [])
    #expect(state.page == .signedOut)
    _ = state.beginSignIn()
    check(state.signInFailed("No browser."), [.tell("No browser.")])
  }

  @Test(
    "The window's own sign-out is not told, whether the feed or the call is first", arguments: [true, false])
  func ownSignOut(feedIsFirst: Bool) {
    var state = state([ada])
    state.beginSignOut(ada)
    if feedIsFirst { check(state.take(.accountRemoved(ada)), []) }
    check(state.endSignOut(ada), [])
    if !feedIsFirst { check(state.take(.accountRemoved(ada)), []) }
    #expect(state.page == .signedOut)
  }

  @Test("An error is explained in the words for people, not in those of the log")
  func explanation() {
    let error = SecretStoreError(.storageFailed, "org.freedesktop.DBus.Error.Failed")
    #expect(Explanation.of(error) == "The saved accounts can't be read or changed.")
  }

  @Test("A sign-out that fails is told, and the account stays")
  func signOutFails() {
    var state = state([ada])
    state.beginSignOut(ada)
    check(state.endSignOut(ada, failure: "No keyring."), [.tell("No keyring.")])
    #expect(state.inbox != nil)
  }

  @Test("The chosen account stays chosen until it is signed out")
  func chosen() {
    var state = state([ada, grace])
    check(state.select(Person(grace).id), [.fetch(grace)])
    _ = state.take(.accountUpdated(ada))
    #expect(state.inbox?.selected == Person(grace))
    _ = state.take(.accountRemoved(grace))
    #expect(state.inbox?.selected == Person(ada))
  }
}

@Suite("The messages of the inbox")
struct FetchTests {
  let message = Message(sender: "Contoso Mail", subject: "Welcome")

  @Test(
    "What a fetch ends with decides the notice, and the messages of before stay",
    arguments: [
      (SecretStoreError.Code.interactionRequired, MailState.Notice.signInAgain), (.networkError, .offline),
      (.serverError, .failed("The server reports an error.")), (.serviceUnavailable, .unavailable),
      (.timedOut, .unavailable),
    ])
  func notice(code: SecretStoreError.Code, notice: MailState.Notice) {
    var state = state([ada])
    state.fetched([message], of: ada)
    _ = state.fetchFailed(SecretStoreError(code, ""), of: ada)
    #expect(state.inbox?.notice == notice)
    #expect(state.inbox?.messages == [message])
  }

  @Test("A locked or lost group has its page")
  func group() {
    var state = state([ada])
    _ = state.fetchFailed(SecretStoreError(.groupLocked, ""), of: ada)
    #expect(state.page == .locked(isOpening: false))
    let lost = SecretStoreError(.groupUnrecoverable, "")
    check(state.fetchFailed(lost, of: ada), [.diagnose(.groupUnrecoverable)])
    #expect(state.page == .lost(remedy: ""))
  }

  @Test("One fetch is under way at a time for each account")
  func once() {
    var state = state([ada])
    check(state.retry(), [])
    state.fetched([], of: ada)
    check(state.retry(), [.fetch(ada)])
    check(state.retry(), [])
  }

  @Test("Another app's new sign-in ends the demand to sign in again")
  func signedInElsewhere() {
    var state = state([ada])
    _ = state.fetchFailed(SecretStoreError(.interactionRequired, ""), of: ada)
    check(state.take(.tokensChanged(ada)), [.fetch(ada)])
    state.fetched([message], of: ada)
    #expect(state.inbox?.notice == nil)
    check(state.take(.tokensChanged(ada)), [])
  }

  @Test("A network that is back ends the time offline")
  func network() {
    var state = state([ada])
    _ = state.fetchFailed(SecretStoreError(.networkError, ""), of: ada)
    check(state.networkCameBack(), [.fetch(ada)])
    state.fetched([], of: ada)
    check(state.networkCameBack(), [])
  }

  @Test("What arrives for an account that was signed out is dropped")
  func late() {
    var state = state([ada])
    _ = state.take(.accountRemoved(ada))
    state.fetched([message], of: ada)
    #expect(state.page == .signedOut)
    _ = state.take(.accountAdded(ada))
    #expect(state.inbox?.messages == nil)
  }
}

@Suite("Text of somebody else")
struct DisplayTextTests {
  @Test(
    "A line has no control character, no line break and no change of direction",
    arguments: [
      ("Ada\nLovelace", "Ada Lovelace"), (" a\u{0}b\u{1B}[31m ", "ab[31m"), ("a\u{202E}b\u{2066}", "ab"),
      ("\u{2028}a\t\tb", "a b"), ("<b>&amp;</b>", "<b>&amp;</b>"), ("\u{200F}", ""), ("עדה", "עדה"),
    ])
  func line(text: String, line: String) { #expect(DisplayText.line(text) == line) }

  @Test("A line is short, however long the text is, or its one character")
  func length() {
    #expect(DisplayText.line(String(repeating: "é", count: 100_000)).count == 200)
    let character = "e" + String(repeating: "\u{301}", count: 100_000)
    #expect(DisplayText.line(character).unicodeScalars.count <= 801)
  }

  @Test("An account without a name is named by what is known of it")
  func name() {
    let account = Account(
      identifier: "sub-1", username: "\u{202E}", environment: "https://id.contoso.com:8/a")
    let person = Person(account)
    #expect(person.name == "sub-1")
    #expect(person.title == "sub-1")
    #expect(person.detail == "id.contoso.com:8")
  }

  @Test("What the provider says is shown, and the account's own where it says nothing")
  func messages() {
    let inbox = Message.inbox(name: " \n", address: nil, of: Person(ada))
    #expect(inbox.map(\.subject).first == "Welcome, Ada")
    #expect(inbox[1].subject == "You have signed in as ada@contoso.com")
  }
}

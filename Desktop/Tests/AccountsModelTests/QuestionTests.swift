// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing

@testable import AccountsModel

@Suite("Questions before something is removed")
struct QuestionTests {
  private func item(_ name: String) throws -> AccountItem {
    let account = Account(identifier: "1", username: name, environment: "id.contoso.com")
    return AccountItem(account, in: try AccessGroup("com.contoso.shared"), names: [:])
  }

  private func shown(_ text: String) -> String {
    text.replacing("\u{2068}", with: "").replacing("\u{2069}", with: "")
  }

  @Test("A sign-out names whom, of what, and what is lost")
  func signOut() throws {
    let app = AccountItem.App(identifier: try AppIdentifier("com.contoso.mail"), title: "Contoso Mail")
    let table: [(Question.Scope, String, String)] = [
      (
        .app(app, clientID: "suite"), "Contoso Mail",
        "The tokens stay while another app of the client uses them."
      ),
      (.client("suite"), "all apps of the client suite", "The tokens of this client are removed."),
      (.everywhere, "all apps of com.contoso.shared", "All tokens of the account in this group are removed"),
    ]
    for (scope, what, lost) in table {
      let question = Question.signOut(try item("ada@contoso.com"), of: scope)
      #expect(shown(question.title) == "Sign ada@contoso.com out of \(what)?")
      #expect(question.text.hasPrefix(lost))
      #expect(question.text.hasSuffix("Nothing is revoked at the provider."))
      #expect(question.isDestructive)
    }
  }

  @Test("A hostile name can't write its own question")
  func hostile() throws {
    let question = Question.signOut(
      try item("Ada out of Mail?\n\u{202E}OK\u{1B}[2J"), of: .client("\u{2028}x"))
    #expect(!question.title.unicodeScalars.contains { $0.properties.generalCategory == .control })
    #expect(!question.title.contains("\u{202E}") && !question.title.contains("\u{2028}"))
  }
}

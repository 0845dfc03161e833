// SPDX-License-Identifier: MIT

package import SecretStoreAgent
package import SecretStoreCache
package import SecretStoreDiagnosis

/// A question before something is removed, in the words of the tool.
package struct Question: Sendable, Equatable {
  package let title: String
  /// What is lost and what stays.
  package let text: String
  /// The label of the button that agrees.
  package let agree: String
  /// Whether the button removes data.
  package let isDestructive: Bool

  /// Whom a sign-out concerns.
  package enum Scope: Sendable, Equatable {
    case app(AccountItem.App, clientID: String)
    case client(String)
    case everywhere
  }

  /// Returns the question before a sign-out.
  package static func signOut(_ item: AccountItem, of scope: Scope) -> Question {
    let what =
      switch scope {
      case .app(let app, _): app.title.inSentence
      case .client(let clientID): "all apps of the client \(clientID.inSentence)"
      case .everywhere: "all apps of \(item.id.group.description.inSentence)"
      }
    let lost =
      switch scope {
      case .app: "The tokens stay while another app of the client uses them."
      case .client: "The tokens of this client are removed. Other clients stay signed in."
      case .everywhere: "All tokens of the account in this group are removed, for every app."
      }
    return Question(
      title: "Sign \(item.title.inSentence) out of \(what)?",
      text: "\(lost) Nothing is revoked at the provider.", agree: "Sign Out", isDestructive: true)
  }

  /// Returns the question before a group is made anew.
  package static func reset(_ group: AccessGroup, _ removal: GroupSummary.Removal) -> Question {
    let lines = removal.collections.map { collection in
      let label = collection.label.inSentence
      let items = collection.count == 1 ? "1 item" : "\(collection.count) items"
      return collection.isRemoved
        ? "The collection \(label) goes, with \(items)."
        : "The collection \(label) stays, with \(items), of which \(collection.ownCount) may go."
    }
    return Question(
      title: "Reset \(group.description.inSentence)?",
      text: (lines + [
        "The file of its locked keyring is kept as NAME.keyring.lost; only its password opens it. Sign in again"
          + " afterwards."
      ]).joined(separator: "\n"), agree: "Reset", isDestructive: true)
  }

  /// Returns the question before a repair.
  package static func repair(_ repair: Diagnosis.Repair) -> Question {
    Question(
      title: "Carry out this repair?", text: "\("\(repair)".plainText(upTo: 1000)). It loses no data.",
      agree: "Repair", isDestructive: false)
  }

  /// Returns the question before a grant is taken back.
  package static func revoke(_ grant: InstalledApps.Grant) -> Question {
    let owner = grant.group.publisher.map { " of the publisher \($0.name.inSentence)" } ?? ""
    return Question(
      title: "Take back the grant of \(grant.app.name.inSentence)?",
      text:
        "It may then no longer use the group \(grant.group.name.inSentence)\(owner) by a grant, from its next"
        + " connection on.", agree: "Revoke", isDestructive: true)
  }
}

// SPDX-License-Identifier: MIT

/// A message of the inbox.
public struct Message: Sendable, Hashable {
  /// Who the message is from.
  public let sender: String
  /// What the message is about.
  public let subject: String

  /// Returns the inbox of a user: sample text, with what the provider says about the user.
  ///
  /// - Parameters:
  ///   - name: The user's name at the provider, if it says one.
  ///   - address: The user's address at the provider, if it says one.
  ///   - person: The account.
  public static func inbox(name: String?, address: String?, of person: Person) -> [Message] {
    let name = DisplayText.first(name, person.name)
    let address = DisplayText.first(address, person.username)
    return [
      Message(sender: "Contoso Mail", subject: "Welcome, \(name)"),
      Message(
        sender: "Contoso Identity",
        subject: address.isEmpty ? "You have signed in" : "You have signed in as \(address)"),
      Message(sender: "Contoso Calendar", subject: "One sign-in for every Contoso app"),
    ]
  }
}

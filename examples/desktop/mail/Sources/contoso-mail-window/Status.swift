// SPDX-License-Identifier: MIT

import MailModel

/// The texts of a page that is no inbox.
struct Status {
  let icon: String
  let title: String
  let text: String
  /// The label of the page's one button; `nil` for none.
  let button: String?

  /// - Returns: `nil` for the inbox, and while nothing is known.
  init?(_ page: MailState.Page) {
    switch page {
    case .starting, .inbox: return nil
    case .notSetUp(let reason):
      self.init(icon: "dialog-error-symbolic", title: "Contoso Mail Is Not Set Up", text: reason, button: nil)
    case .signedOut:
      self.init(
        icon: "avatar-default-symbolic", title: "Welcome to Contoso Mail",
        text: "Sign in once for all Contoso apps. Your browser opens.", button: "Sign In")
    case .waitingForBrowser:
      self.init(
        icon: "web-browser-symbolic", title: "Continue in the Browser",
        text: "Contoso Mail waits until you have signed in there.", button: "Cancel")
    case .locked:
      self.init(
        icon: "changes-prevent-symbolic", title: "Your Accounts Are Locked",
        text: "They are in a keyring that your login did not open.", button: "Unlock…")
    case .lost(let remedy):
      self.init(
        icon: "dialog-warning-symbolic", title: "Your Accounts Can’t Be Opened",
        text: remedy.isEmpty ? "The password of their keyring is lost." : remedy, button: nil)
    case .unavailable(let remedy):
      self.init(
        icon: "dialog-warning-symbolic", title: "The Keyring Does Not Reply",
        text: remedy.isEmpty ? "Contoso Mail keeps your accounts in it." : remedy, button: "Try Again")
    }
  }

  private init(icon: String, title: String, text: String, button: String?) {
    self.icon = icon
    self.title = title
    self.text = text
    self.button = button
  }
}

/// The texts of the banner above the inbox.
struct Banner {
  let text: String
  let button: String

  init?(_ inbox: MailState.Inbox) {
    let notice = inbox.notice
    button = notice == .signInAgain ? "Sign In Again" : "Try Again"
    switch notice {
    case nil: return nil
    case .signInAgain: text = "Contoso asks you to sign in again."
    case .offline where inbox.messages == nil: text = "You are offline. Your messages come later."
    case .offline: text = "You are offline. These are the messages of before."
    case .unavailable: text = "The keyring does not reply."
    case .failed(let reason): text = reason
    }
  }
}

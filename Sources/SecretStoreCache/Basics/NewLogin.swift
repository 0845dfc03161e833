// SPDX-License-Identifier: MIT

/// A remedy's words for a new login, which starts the keyring daemon anew.
package enum NewLogin {
  /// What the person does, in the middle of a sentence.
  ///
  /// A session of `sso-cache run` has a daemon of its own, which starts with the session.
  package static var words: String {
    ProcessEnvironment.privateKeyring(in: ProcessEnvironment.current) == nil
      ? "log out and in again" : "end this run of sso-cache run and start it again"
  }
}

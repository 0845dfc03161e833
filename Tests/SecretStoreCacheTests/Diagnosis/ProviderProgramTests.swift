// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

@Suite("Provider program")
struct ProviderProgramTests {
  @Test(
    "The process name identifies the provider and its requirements for an encrypted session",
    arguments: [
      ("kwalletd5", "KWallet", "libqca-qt5-2-plugins"), ("kwalletd6", "KWallet", "libqca-qt6-plugins"),
      ("ksecretd", "KWallet", "libqca-qt6-plugins"), ("gnome-keyring-d", "gnome-keyring", nil),
      (".gnome-keyring-", "gnome-keyring", nil), (".kwalletd6-wrap", "KWallet", "libqca-qt6-plugins"),
      ("another", "another", nil),
    ])
  func known(comm: String, name: String, package: String?) {
    let program = ProviderProgram(process: 1, comm: comm)
    #expect(program.name == name)
    #expect(program.encryptionPackage == package)
  }
}

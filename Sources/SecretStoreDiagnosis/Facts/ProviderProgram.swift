// SPDX-License-Identifier: MIT

import SecretStoreCache

/// The program that provides the Secret Service, identified by its process.
struct ProviderProgram: Sendable, Hashable {
  let process: Int
  /// The common name of the program.
  let name: String
  private let isOnQt5: Bool
  /// The command that prints the program's version; empty when there is none.
  private let command: [String]

  /// The common name of gnome-keyring.
  static let gnomeKeyring = "gnome-keyring"

  /// The program's name, the common name, and whether it prints its version.
  ///
  /// KWallet's programs look for a wallet instead.
  private static let known: [(program: String, name: String, printsVersion: Bool)] = [
    (KeyringFiles.daemonName, gnomeKeyring, true),
    ("kwalletd5", "KWallet", false),
    ("kwalletd6", "KWallet", false),
    ("ksecretd", "KWallet", false),
    ("keepassxc", "KeePassXC", true),
    ("oo7-daemon", "oo7", true),
  ]

  /// Creates the program of a process; `nil` when the process does not exist.
  init?(process: Int) {
    guard let name = SystemProcess(process).name else { return nil }
    self.init(process: process, comm: name)
  }

  /// Creates the program of a process from its name as truncated by the kernel.
  init(process: Int, comm: String) {
    let known = Self.known.first { SystemProcess.isName(comm, of: $0.program) }
    self.process = process
    name = known?.name ?? comm
    isOnQt5 = known?.program == "kwalletd5"
    command = known.map { $0.printsVersion ? [$0.program, "--version"] : [] } ?? []
  }

  /// The package of QCA's OpenSSL plugin, without which KWallet opens no encrypted session; `nil` for other programs.
  var encryptionPackage: String? {
    if name != "KWallet" { return nil }
    return isOnQt5 ? "libqca-qt5-2-plugins" : "libqca-qt6-plugins"
  }

  /// The step, in a sentence, after which another program can be the Secret Service.
  var leaving: String {
    switch name {
    case "KeePassXC": "turn off Secret Service Integration in KeePassXC's settings"
    case "KWallet": "turn off KWallet's Secret Service interface in the system settings, under KDE Wallet"
    default: "see that \(name) is not started any more, end it by kill \(process)"
    }
  }

  /// Whether a signal or a debugger has stopped the process.
  var isStopped: Bool { SystemProcess(process).isStopped }

  /// Returns the version that the program prints; `nil` when it prints none.
  func version() async -> String? {
    guard !command.isEmpty,
      let text = try? await ProgramOutput.text(of: command, environment: ["QT_QPA_PLATFORM": "offscreen"])
    else { return nil }
    let words = text.split { $0 == " " || $0.isNewline }
    return words.first { $0.first?.isNumber == true && $0.contains(".") }.map(String.init)
  }
}

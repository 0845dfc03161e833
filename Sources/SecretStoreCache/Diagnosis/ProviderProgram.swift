// SPDX-License-Identifier: MIT

/// The program that is the Secret Service, as the system knows its process.
struct ProviderProgram: Sendable, Hashable {
  let process: Int
  /// What people call it.
  let name: String
  private let isOnQt5: Bool
  /// The command that says its version; empty where there is none.
  private let command: [String]

  /// A process's name as the kernel cuts it off, what people call the program, and the command that says its version:
  /// KWallet's looks for a wallet instead.
  private static let known: [(process: String, name: String, command: String?)] = [
    ("gnome-keyring-d", "gnome-keyring", "gnome-keyring-daemon"),
    ("kwalletd5", "KWallet", nil),
    ("kwalletd6", "KWallet", nil),
    ("ksecretd", "KWallet", nil),
    ("keepassxc", "KeePassXC", "keepassxc"),
    ("oo7-daemon", "oo7", "oo7-daemon"),
  ]

  /// The program of a process; `nil` when there is none.
  init?(process: Int) {
    guard let name = FileReader.text("/proc/\(process)/comm") else { return nil }
    self.init(process: process, comm: name)
  }

  /// The program of a process by its name, as the kernel cuts it off.
  init(process: Int, comm: String) {
    let known = Self.known.first { $0.process == comm }
    self.process = process
    name = known?.name ?? comm
    isOnQt5 = comm == "kwalletd5"
    command = known?.command.map { [$0, "--version"] } ?? []
  }

  /// The package with QCA's OpenSSL plugin, without which KWallet opens no encrypted session; `nil` for another program.
  var encryptionPackage: String? {
    if name != "KWallet" { return nil }
    return isOnQt5 ? "libqca-qt5-2-plugins" : "libqca-qt6-plugins"
  }

  /// Whether the process was stopped by a signal (proc(5), the state `T`).
  var isStopped: Bool {
    let state = FileReader.text("/proc/\(process)/stat")?.split(separator: ")").last
    return state?.split(separator: " ").first == "T"
  }

  /// The version that it states; `nil` when it states none.
  func version() async -> String? {
    guard !command.isEmpty,
      let text = try? await ProgramOutput.text(of: command, environment: ["QT_QPA_PLATFORM": "offscreen"])
    else { return nil }
    let words = text.split { $0 == " " || $0.isNewline }
    return words.first { $0.first?.isNumber == true && $0.contains(".") }.map(String.init)
  }
}

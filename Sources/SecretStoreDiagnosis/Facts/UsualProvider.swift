// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import SecretStoreCache

/// The provider that has the user's secrets, determined from its files when none runs.
struct UsualProvider: Sendable {
  private let environment: DiagnosticEnvironment

  init(_ environment: DiagnosticEnvironment) { self.environment = environment }

  /// The remedy that starts KeePassXC or KWallet when one of them has the secrets; `nil` when it may be gnome-keyring.
  var remedy: String? {
    let serves = settingOfKeePassXC("Enabled")
    if serves == "true" {
      let groups = environment.keyrings.groupLabels
      if groups.isEmpty { return "Start KeePassXC, and open its database there: keepassxc" }
      let found = Quantity.of(groups.count, "access group")
      let example = groups.compactMap(\.self).first.map { " such as \($0)" } ?? ""
      return "If you have moved your groups to KeePassXC, start it; else start gnome-keyring, whose files"
        + " have \(found)\(example): \(environment.starting)"
    }
    if hasKeyrings { return nil }
    if serves != nil, runsKeePassXC {
      return "KeePassXC runs and is not the Secret Service: turn that on in its settings, under Secret"
        + " Service Integration."
    }
    if !hasWallets { return nil }
    let program = ["ksecretd", "kwalletd6", "kwalletd5"].first(where: environment.hasProgram) ?? "kwalletd5"
    return "Start KWallet, which has your wallets, by signing in to the desktop, or by: \(program) &"
  }

  /// Returns a Secret Service setting of KeePassXC; `nil` when it is not set.
  private func settingOfKeePassXC(_ name: String) -> String? {
    let home = environment.variable("HOME") ?? ""
    let configuration = environment.variable("XDG_CONFIG_HOME") ?? "\(home)/.config"
    let text = FileReader.text("\(configuration)/keepassxc/keepassxc.ini") ?? ""
    let section = text.split(separator: "[").first { $0.hasPrefix("FdoSecrets]") } ?? ""
    let line = section.split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(name)=") }
    return line.map { String($0.dropFirst(name.count + 1)) }
  }

  private var runsKeePassXC: Bool {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "\(environment.root)/proc")) ?? []
    return processes.contains { process in
      guard Int(process) != nil else { return false }
      let folder = "\(environment.root)/proc/\(process)"
      return FileReader.text("\(folder)/comm")?.hasPrefix("keepassxc") == true
        && FileReader().information(folder, followsLink: false)?.st_uid == getuid()
    }
  }

  private var hasKeyrings: Bool { environment.keyrings.exists(KeyringFiles.login) }

  private var hasWallets: Bool {
    let home = DataDirectories(environment: environment.variables).home
    return home.map { names(in: "\($0)/kwalletd").contains { $0.hasSuffix(".kwl") } } ?? false
  }

  private func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}

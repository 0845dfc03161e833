// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import SecretStoreCache

/// The command that tries to open Contoso's group.
///
/// It is refused before any call to the Secret Service.
struct Open: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Open Contoso's group, and be refused.")

  func run() throws {
    do throws(SecretStoreError) {
      _ = try SecretStore().backend(for: Fabrikam.entitlements(), group: Fabrikam.wanted)
      print("Fabrikam: opened \(Fabrikam.wanted)")
    } catch {
      FileHandle.standardError.write(Data("Fabrikam: \(error)\n".utf8))
      throw ExitCode(error.code == .notEntitled ? 77 : 1)
    }
  }
}

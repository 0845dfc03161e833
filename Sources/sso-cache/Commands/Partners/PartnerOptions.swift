// SPDX-License-Identifier: MIT

import ArgumentParser
import PartnerCaches
import SecretStoreCache

/// The tools that a command line names.
enum PartnerOptions {
  static func folders() throws -> PartnerFolders {
    guard let folders = PartnerFolders(environment: ProcessEnvironment.current) else {
      throw SecretStoreError(.storageFailed, "There is no home directory: HOME is not set.")
    }
    return folders
  }

  /// Returns the tool with a name.
  static func partner(_ name: String, in folders: PartnerFolders) throws -> Partner {
    guard let partner = Partner(named: name, in: folders) else {
      throw ValidationError(
        "There is no tool \(Printer.printable(name)): sso-cache partners --all lists them; msal-extensions: is "
          + "followed by the absolute path that the app names.")
    }
    return partner
  }
}

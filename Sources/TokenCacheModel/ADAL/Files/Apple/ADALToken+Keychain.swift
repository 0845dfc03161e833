// SPDX-License-Identifier: MIT

import FoundationEssentials

extension ADALToken {
  /// What stands for no resource in the service of a keychain item.
  private static let noResource = "CC3513A0-0E69-4B4D-97FC-DFB6C91EE132"

  /// The service of the keychain item that ADAL for iOS and macOS keeps it in.
  var keychainService: String {
    let prefix = "MSOpenTech.ADAL.1" + (applicationIdentifier.map { "-" + Self.encoded($0) } ?? "")
    let resource = KeychainText.normalized(resource ?? "")
    let parts = [
      prefix, Self.encoded(KeychainText.normalized(authority)),
      resource.isEmpty ? Self.noResource : Self.encoded(resource),
      Self.encoded(KeychainText.normalized(clientID)),
    ]
    return parts.joined(separator: "|")
  }

  /// Base64 with the alphabet for URLs, without padding.
  private static func encoded(_ text: String) -> String {
    let padded = Data(text.utf8).base64EncodedString()
    return padded.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}

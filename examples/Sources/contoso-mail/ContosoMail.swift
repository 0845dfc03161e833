// SPDX-License-Identifier: MIT

import ContosoApp
import Foundation

/// Contoso Mail.
@main
enum ContosoMail: SuiteApp {
  static let name = "Mail"
  static let command = "contoso-mail"
  static let redirectURI = "http://127.0.0.1:8401/com.contoso.mail"
  static let entitlements = Data(PackageResources.entitlements_plist)
}

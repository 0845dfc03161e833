// SPDX-License-Identifier: MIT

import ContosoApp
import Foundation

/// Contoso Calendar.
@main
enum ContosoCalendar: SuiteApp {
  static let name = "Calendar"
  static let command = "contoso-calendar"
  static let redirectURI = "http://127.0.0.1:8402/com.contoso.calendar"
  static let entitlements = Data(PackageResources.entitlements_plist)
}

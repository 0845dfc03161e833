// SPDX-License-Identifier: MIT

package import FoundationEssentials
package import Logging
package import UnifiedCache

extension TokenResponse {
  /// Logs a warning that names the members that were left out or clamped, without their values.
  ///
  /// - Parameters:
  ///   - now: The time when the response arrived.
  ///   - own: The logger outside of a silent call.
  package func logOddMembers(at now: Date, to own: Logger) {
    let odd = oddMembers(at: now)
    if odd.isEmpty { return }
    CallLog.logger(or: own).warning(
      "left out or changed members of the response that can't be right",
      metadata: ["members": "\(odd.joined(separator: " "))"])
  }
}

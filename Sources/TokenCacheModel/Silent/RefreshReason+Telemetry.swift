// SPDX-License-Identifier: MIT

extension TokenResult.RefreshReason {
  /// The number of the reason in the MSALs' telemetry.
  var telemetryCode: Int {
    switch self {
    case .forced, .claims: 1
    case .noAccessToken: 2
    case .expired: 3
    case .refreshDue: 4
    }
  }
}

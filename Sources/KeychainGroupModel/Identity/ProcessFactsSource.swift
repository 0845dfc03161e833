// SPDX-License-Identifier: MIT

/// Where the system is asked about the process that an app runs in.
public protocol ProcessFactsSource: Sendable {
  /// What the system says.
  func processFacts() -> ProcessFacts
}

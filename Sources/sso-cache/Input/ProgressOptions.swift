// SPDX-License-Identifier: MIT

import ArgumentParser

/// The option for the progress of long work.
struct ProgressOptions: ParsableArguments {
  @Flag(name: .customLong("progress"), help: "Print the progress on standard error, as lines of JSON.")
  var isPrinted = false

  /// Returns how a command shows its progress.
  ///
  /// Other lines on standard error would run into the bar: those of `--verbose`, and the error of `--json`, which
  /// a program reads.
  func style(isJSON: Bool) -> ProgressDisplay.Style {
    if isPrinted { return .lines }
    return isJSON || Invocation.isVerbose ? .none : .bar
  }
}

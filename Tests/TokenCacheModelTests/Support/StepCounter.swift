// SPDX-License-Identifier: MIT

/// Counts the steps of a call, from 0.
actor StepCounter {
  private var count = -1

  func next() -> Int {
    count += 1
    return count
  }
}

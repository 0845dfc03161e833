// SPDX-License-Identifier: MIT

/// Sleeps for a duration in which this process runs; the time in which it is stopped, as by Ctrl-Z, does not count.
///
/// A response that arrives while the process is stopped is in the socket or the pipe. A timer that ends at a point in
/// time would end the exchange before the response is read.
package func sleep(running duration: Duration) async throws {
  var rest = duration
  while rest > .zero {
    let step = min(rest, .seconds(1))
    try await Task.sleep(for: step)
    rest -= step
  }
}

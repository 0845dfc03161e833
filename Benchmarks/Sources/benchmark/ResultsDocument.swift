// SPDX-License-Identifier: MIT

import Foundation

/// The Markdown document with all results of a run.
struct ResultsDocument {
  let report: Report
  let growth: [Measurement]
  let importing: [Measurement]
  let machine: String
  /// The load average before and after the run.
  ///
  /// The latter includes the benchmark itself.
  let loads: (before: String, after: String)
  let benchmark: Benchmark
  let duration: Duration

  var text: String {
    """
    # How fast

    <!-- Written by Benchmarks/run. -->

    Taken on \(Date.now.formatted(.iso8601.year().month().day())) in one run of \
    \(Int(duration / .seconds(60)) + 1) minutes: \(machine) \
    The load average was \(loads.before) before and \(loads.after) after.

    The columns are the numbers of accounts in the group, of four credentials each (an access token of 1.5 kB, a \
    refresh token of 1.2 kB, an id token of 1.7 kB, the account). \(benchmark.neighbours) items of other apps lie in \
    the login collection beside it. \(benchmark.rounds) rounds by turns, each turn up to \(benchmark.runs) runs or \
    \(benchmark.milliseconds) ms, its first fifth left out.

    ## Ratios

    Ours divided by the other's: less than 1 means that SecretStoreCache is faster, or smaller. In parentheses the \
    least and the greatest ratio of one round.

    \(report.ratios)

    \(report.flatness ?? "")

    ## Medians

    \(report.medians)

    ## What an index would cost

    Listing reads one item for each account and client. An index item with all accounts (450 bytes each) would be read \
    in its stead, and written beside:

    \(report.index)

    ## Growth

    ![Times of a look-up, a save and a list by the number of accounts](\(Self.chart))

    Each group is alone in its daemon here.

    \(Report(measurements: growth).medians)

    ## Import

    The daemon has next to nothing else here. One round at a thousand accounts and more.

    \(Report(measurements: importing).ratios)

    \(Report(measurements: importing).medians)

    \(Method.text)
    """
  }

  /// The path of the plot relative to RESULTS.md.
  private static let chart = "../Sources/SecretStoreCache/Documentation.docc/Resources/growth.svg"
}

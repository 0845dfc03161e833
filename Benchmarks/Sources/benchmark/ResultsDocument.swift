// SPDX-License-Identifier: MIT

import Foundation

/// The whole of what a run has found, in Markdown.
struct ResultsDocument {
  let report: Report
  let growth: [Measurement]
  let machine: String
  /// How busy the machine was before and after, the benchmark's own work counted.
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

    ![Times of a look-up, a save and a list by the number of accounts](\(Self.picture))

    Each group is alone in its daemon here.

    \(Report(measurements: growth).medians)

    \(Method.text)
    """
  }

  /// The plot, as RESULTS.md sees it.
  private static let picture = "../Sources/SecretStoreCache/Documentation.docc/Resources/growth.svg"
}

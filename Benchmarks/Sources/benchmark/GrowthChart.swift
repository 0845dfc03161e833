// SPDX-License-Identifier: MIT

import Foundation

/// An SVG picture of the times by the size of the group, with a plot for each work, side by side.
struct GrowthChart {
  let measurements: [Measurement]

  private static let objects = "libsecret's `secret_service_search`"
  private static let styles: [(name: String, style: Plot.Style)] = [
    (Field.library, Plot.Style(color: "#0b62c4", dashes: "")),
    ("the same calls in C", Plot.Style(color: "#444444", dashes: "5 3")),
    ("msal-extensions", Plot.Style(color: "#c8102e", dashes: "")),
    ("SecretStorage", Plot.Style(color: "#2e8540", dashes: "")),
    (objects, Plot.Style(color: "#b26a00", dashes: "2 3")),
  ]

  /// Returns whether the picture shows a contestant.
  ///
  /// libsecret's objects need a round trip for each item, so listing thousands of them takes minutes.
  static func shows(_ contestant: Contestant, at work: Work) -> Bool {
    if contestant.name == objects, work == .list { return false }
    return styles.contains { $0.name == contestant.name }
  }

  var svg: String {
    let works = Work.growing.filter { work in measurements.contains { $0.work == work } }
    let width = Plot.width * Double(works.count)
    let plots = works.enumerated().map { plot($1).elements(at: Double($0) * Plot.width) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(Plot.height + 40))" \
      width="\(Int(width))" height="\(Int(Plot.height + 40))" font-family="sans-serif" font-size="12">
      <style>
      .grid { stroke: #dddddd; stroke-width: 1 } .line { fill: none; stroke-width: 2 }
      .title { font-size: 14px; font-weight: bold }
      </style>
      <rect width="100%" height="100%" fill="white"/>
      \(plots.joined(separator: "\n"))
      \(legend)
      </svg>

      """
  }

  private func plot(_ work: Work) -> Plot {
    Plot(
      title: work.title, lines: lines(work), powers: powers,
      ticks: Set(measurements.map { Double($0.accounts) }).sorted(),
      styles: Dictionary(uniqueKeysWithValues: Self.styles.map { ($0.name, $0.style) }))
  }

  private func lines(_ work: Work) -> [Plot.Line] {
    Self.styles.compactMap { name, _ in
      let points = measurements.filter { $0.work == work }.compactMap { measurement in
        measurement.contestants.firstIndex { $0.name == name }.map { index in
          (x: Double(measurement.accounts), y: measurement.median(index) / 1_000_000)
        }
      }
      return points.isEmpty ? nil : Plot.Line(name: name, points: points)
    }
  }

  /// The range of powers of ten, in milliseconds, that contains all times.
  private var powers: ClosedRange<Int> {
    let times = Work.growing.flatMap(lines).flatMap(\.points).map { log10($0.y) }
    return Int((times.min() ?? 0).rounded(.down))...Int((times.max() ?? 1).rounded(.up))
  }

  private var legend: String {
    let y = Plot.height + 20
    return Self.styles.enumerated().map { index, entry in
      let x = 52 + Double(index) * 168
      let name = entry.name.replacing("*", with: "").replacing("`", with: "")
      return """
        <line class="line" x1="\(x)" x2="\(x + 26)" y1="\(y)" y2="\(y)" stroke="\(entry.style.color)" \
        stroke-dasharray="\(entry.style.dashes)"/>
        <text x="\(x + 32)" y="\(y)" dy="4">\(name)</text>
        """
    }.joined(separator: "\n")
  }
}

// SPDX-License-Identifier: MIT

import Foundation

/// A line chart with two logarithmic axes, as a part of an SVG picture.
struct Plot {
  struct Line {
    let name: String
    /// The coordinates: the number of accounts, and milliseconds.
    let points: [(x: Double, y: Double)]
  }

  static let width = 330.0
  static let height = 340.0

  let title: String
  let lines: [Line]
  /// The powers of ten at the ends of the vertical axis, which several plots share.
  let powers: ClosedRange<Int>
  /// The numbers that are marked on the horizontal axis.
  let ticks: [Double]
  /// The colour and dash pattern of each name.
  let styles: [String: Style]

  struct Style {
    let color: String
    let dashes: String
  }

  private let left = 52.0
  private let right = Plot.width - 12
  private let top = 34.0
  private let bottom = Plot.height - 44

  /// Returns the SVG elements, moved to the right by an offset.
  func elements(at offset: Double) -> String {
    """
    <g transform="translate(\(Self.number(offset)),0)">
    <text class="title" x="\(Self.number((left + right) / 2))" y="20" text-anchor="middle">\(title)</text>
    \(grid)
    \(lines.map(element).joined(separator: "\n"))
    </g>
    """
  }

  private var grid: String {
    var parts: [String] = []
    for power in powers {
      let y = Self.number(vertical(pow(10, Double(power))))
      parts.append(#"<line class="grid" x1="\#(left)" x2="\#(right)" y1="\#(y)" y2="\#(y)"/>"#)
      let text = Self.label(power)
      parts.append(#"<text x="\#(left - 6)" y="\#(y)" dy="4" text-anchor="end">\#(text)</text>"#)
    }
    for tick in ticks {
      let x = Self.number(horizontal(tick))
      parts.append(#"<line class="grid" x1="\#(x)" x2="\#(x)" y1="\#(top)" y2="\#(bottom)"/>"#)
      let text = tick.formatted(.number.locale(Locale(identifier: "en_US")))
      parts.append(#"<text x="\#(x)" y="\#(bottom + 16)" text-anchor="middle">\#(text)</text>"#)
    }
    let middle = Self.number((left + right) / 2)
    let y = bottom + 36
    parts.append(#"<text x="\#(middle)" y="\#(y)" text-anchor="middle">accounts in the group</text>"#)
    return parts.joined(separator: "\n")
  }

  private func element(_ line: Line) -> String {
    let style = styles[line.name] ?? Style(color: "black", dashes: "")
    let places = line.points.map { (Self.number(horizontal($0.x)), Self.number(vertical($0.y))) }
    let path = places.map { "\($0.0),\($0.1)" }.joined(separator: " ")
    let stroke = #"stroke="\#(style.color)" stroke-dasharray="\#(style.dashes)""#
    let dots = places.map { #"<circle cx="\#($0.0)" cy="\#($0.1)" r="3" fill="\#(style.color)"/>"# }
    return ([#"<polyline class="line" points="\#(path)" \#(stroke)/>"#] + dots).joined(separator: "\n")
  }

  private func horizontal(_ value: Double) -> Double {
    let ends = (log10(ticks.first ?? 1), log10(ticks.last ?? 10))
    return left + 14 + (log10(value) - ends.0) / (ends.1 - ends.0) * (right - left - 28)
  }

  private func vertical(_ value: Double) -> Double {
    let span = Double(powers.upperBound - powers.lowerBound)
    return bottom - (log10(value) - Double(powers.lowerBound)) / span * (bottom - top)
  }

  private static func label(_ power: Int) -> String {
    switch power {
    case ..<0: String(format: "%.\(-power)f ms", pow(10, Double(power)))
    case 0...2: "\(Int(pow(10, Double(power)))) ms"
    default: "\(Int(pow(10, Double(power - 3)))) s"
    }
  }

  static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}

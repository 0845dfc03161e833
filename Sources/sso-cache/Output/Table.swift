// SPDX-License-Identifier: MIT

/// Columns under their titles.
struct Table {
  let titles: [String]
  let rows: [[String]]
  /// The cells that stand out, by what is in them.
  var styles: [String: TextStyle] = [:]

  private static let gap = "  "
  /// What a column keeps, however narrow the terminal is.
  private static let minimumWidth = 6

  /// The table's lines.
  ///
  /// - Parameters:
  ///   - width: The characters that a line has room for; longer cells are cut there. `nil` cuts nothing.
  ///   - isColoured: Whether titles and cells may stand out.
  func lines(width: Int?, isColoured: Bool) -> [String] {
    let rows = [titles] + rows.map { $0.map(Printer.printable) }
    let widths = fitting(
      titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }, into: width)
    return rows.enumerated().map { index, row in
      var line = ""
      for (column, (cell, width)) in zip(row, widths).enumerated() {
        let text = cell.count > width ? cell.prefix(width - 1) + "…" : cell
        let isLast = row[(column + 1)...].allSatisfy(\.isEmpty)
        let style = index == 0 ? TextStyle.bold : styles[cell]
        line += isColoured && !text.isEmpty ? style?.applied(to: text) ?? text : text
        if isLast { break }
        line += String(repeating: " ", count: width - text.count) + Self.gap
      }
      return line
    }
  }

  /// The columns' widths, the widest of them narrowed until the table fits.
  private func fitting(_ widths: [Int], into limit: Int?) -> [Int] {
    guard let limit else { return widths }
    var widths = widths
    var excess = widths.reduce(Self.gap.count * (widths.count - 1), +) - limit
    // The titles are cut last.
    for floors in [titles.map(\.count), titles.map { _ in Self.minimumWidth }] {
      while excess > 0,
        let widest = widths.indices.filter({ widths[$0] > floors[$0] }).max(by: { widths[$0] < widths[$1] })
      {
        widths[widest] -= 1
        excess -= 1
      }
    }
    return widths
  }
}

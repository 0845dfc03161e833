// SPDX-License-Identifier: MIT

/// A table with column titles.
struct Table {
  let titles: [String]
  let rows: [[String]]
  /// The titles of the columns that are never truncated.
  var whole: Set<String> = []
  /// The styles of cells by their content.
  var styles: [String: TextStyle] = [:]

  private static let gap = "  "
  /// The width that a column keeps in a narrow terminal.
  private static let minimumWidth = 6

  /// The table for programs: one line for each row, with cells separated by tabs.
  var fields: [String] {
    ([titles] + rows).map { $0.map(Printer.printable).joined(separator: "\t") }
  }

  /// Returns the table's lines for a terminal.
  ///
  /// - Parameters:
  ///   - width: The width of the terminal; longer cells are truncated. `nil` truncates nothing.
  ///   - isColored: Whether styles are applied to titles and cells.
  func lines(width: Int?, isColored: Bool) -> [String] {
    let rows = [titles] + rows.map { $0.map(Printer.printable) }
    let wanted = titles.indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
    if let width, least(of: wanted) > width { return blocks(rows.dropFirst(), isColored: isColored) }
    let widths = fitting(wanted, into: width)
    return rows.enumerated().map { index, row in
      var line = ""
      for (column, (cell, width)) in zip(row, widths).enumerated() {
        let text = cell.columns > width ? cell.prefix(columns: width - 1) + "…" : cell
        let isLast = row[(column + 1)...].allSatisfy(\.isEmpty)
        let style = index == 0 ? TextStyle.bold : styles[cell]
        line += isColored && !text.isEmpty ? style?.applied(to: text) ?? text : text
        if isLast { break }
        line += String(repeating: " ", count: max(0, width - text.columns)) + Self.gap
      }
      return line
    }
  }

  /// Returns the smallest width of the table that truncates no column of ``whole``.
  private func least(of widths: [Int]) -> Int {
    zip(titles, widths).reduce(Self.gap.count * (titles.count - 1)) { sum, column in
      sum + (whole.contains(column.0) ? column.1 : min(column.1, Self.minimumWidth))
    }
  }

  /// Returns the rows as blocks with one line for each cell, for a terminal that is too narrow for the table.
  private func blocks(_ rows: ArraySlice<[String]>, isColored: Bool) -> [String] {
    let width = titles.map(\.columns).max() ?? 0
    return rows.enumerated().flatMap { index, row in
      (index == 0 ? [] : [""])
        + zip(titles, row).filter { !$1.isEmpty }.map { title, cell in
          let padding = String(repeating: " ", count: width - title.columns) + Self.gap
          return (isColored ? TextStyle.bold.applied(to: title) : title) + padding + cell
        }
    }
  }

  /// Returns the column widths.
  ///
  /// The widest columns are narrowed until the table fits.
  private func fitting(_ widths: [Int], into limit: Int?) -> [Int] {
    guard let limit else { return widths }
    var widths = widths
    var excess = widths.reduce(Self.gap.count * (widths.count - 1), +) - limit
    // The titles are truncated last.
    let kept = zip(titles, widths).map { whole.contains($0) ? $1 : 0 }
    for floors in [titles.map(\.columns), titles.map { _ in Self.minimumWidth }] {
      let floors = zip(floors, kept).map(max)
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

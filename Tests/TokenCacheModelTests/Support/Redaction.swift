// SPDX-License-Identifier: MIT

/// The ways in which a value ends up in a log.
enum Redaction {
  static func texts<Subject>(of subject: Subject) -> [String] {
    var dumped = ""
    dump(subject, to: &dumped)
    return ["\(subject)", String(describing: subject), String(reflecting: subject), dumped]
  }
}

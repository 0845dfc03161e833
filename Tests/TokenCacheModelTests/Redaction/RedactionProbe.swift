// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

/// The ways in which a value ends up in a log.
enum RedactionProbe {
  static func texts<Subject>(of subject: Subject) -> [String] {
    var dumped = ""
    dump(subject, to: &dumped)
    var texts = ["\(subject)", String(describing: subject), String(reflecting: subject), dumped]
    texts.append(children(of: subject, depth: 8))
    if let subject = subject as? any CustomDebugStringConvertible { texts.append(subject.debugDescription) }
    if let error = subject as? any Error { texts += [error.localizedDescription, "\(error as NSError)"] }
    return texts
  }

  /// Describes a mirror and, recursively, the mirrors of its children.
  private static func children(of subject: Any, depth: Int) -> String {
    let recordCache = Mirror(reflecting: subject)
    if depth == 0 || recordCache.children.isEmpty { return "\(subject)" }
    return recordCache.children.map { "\($0.label ?? ""): \(children(of: $0.value, depth: depth - 1))" }
      .joined(separator: "; ")
  }

  /// The forms in which a secret can appear in a text: as it is, escaped for JSON and for a URL, in hexadecimal
  /// digits, and in base64 inside of anything.
  ///
  /// A secret shorter than six bytes has only the first form: the others occur anywhere by chance.
  static func forms(of secret: String) -> Set<String> {
    if secret.utf8.count < 6 { return [secret] }
    let bytes = Array(secret.utf8)
    let json = String(decoding: JSONValue.string(secret).serialized().dropFirst().dropLast(), as: UTF8.self)
    var forms: Set = [secret, json, json.replacing("/", with: "\\/")]
    forms.insert(secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret)
    forms.insert(secret.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? secret)
    forms.insert(bytes.map { String(format: "%02x", $0) }.joined())
    for before in 0..<3 {
      // The neighbouring bytes decide the base64 digits at both ends.
      let digits = Array(Data([UInt8](repeating: 0, count: before) + bytes).base64EncodedString())
      let whole = (before * 8 + 5) / 6..<(before + bytes.count) * 8 / 6
      let base64 = String(digits[whole])
      forms.formUnion([base64, base64.replacing("+", with: "-").replacing("/", with: "_")])
    }
    return forms
  }

  /// Whether a text shows a secret in any form, or as a list of its bytes.
  static func shows(_ text: String, _ secret: String) -> Bool {
    let numbers = "|\(text.split { !$0.isNumber }.joined(separator: "|"))|"
    return forms(of: secret).contains { text.contains($0) }
      || numbers.contains("|\(secret.utf8.map(String.init).joined(separator: "|"))|")
  }

  /// Fails when any of the ways shows any of the secrets, also when other values contain the subject.
  static func expectNone<Subject>(
    of secrets: [String], in subject: Subject, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for subject: Any in [subject, [subject], Optional(subject) as Any, ["key": subject]] {
      for text in texts(of: subject) {
        for secret in secrets {
          #expect(!shows(text, secret), "\(Subject.self)", sourceLocation: sourceLocation)
        }
      }
    }
  }
}

// SPDX-License-Identifier: MIT

import StrictJSON

/// An entry that the cache refuses to store.
///
/// Its description gives its section, index and problem, without any value.
package struct InvalidEntry: CustomStringConvertible {
  package let section: CacheSection
  /// The entry's index in its section, from 0.
  package let index: Int
  /// The problem, as the end of a sentence that begins with the entry.
  package let problem: String

  package var description: String { "entry at index \(index) of \(section.rawValue) \(problem)" }
}

extension CacheDocument {
  /// The entries with an identifier that none in a file may have; see ``IdentifyingMembers/invalid(in:)``.
  package var invalidEntries: [InvalidEntry] {
    entries { section, fields in
      IdentifyingMembers.of(section).invalid(in: fields).map {
        "has a \($0) with a control character, too many combining marks or its token"
      }
    }
  }

  /// The entries with an identifier that none may have; see ``IdentifyingMembers/unsafe(in:)``.
  var unsafeEntries: [InvalidEntry] {
    entries { section, fields in
      IdentifyingMembers.of(section).unsafe(in: fields).map {
        "has a \($0) with a control character or too many combining marks"
      }
    }
  }

  private func entries(with problem: (CacheSection, JSONObject) -> String?) -> [InvalidEntry] {
    CacheSection.allCases.flatMap { section in
      self[section].enumerated().compactMap { index, entry in
        let problem = entry.value.objectValue.flatMap { problem(section, $0) }
        return problem.map { InvalidEntry(section: section, index: index, problem: $0) }
      }
    }
  }
}

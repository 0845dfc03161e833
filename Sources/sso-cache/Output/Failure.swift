// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import SecretStoreCache

/// Ends the tool after an error: the message on standard error, nothing on standard output, and the status that
/// the error's code has.
struct Failure {
  private let error: any Error

  init(_ error: any Error) { self.error = error }

  /// Reports the error and exits.
  func report<Command: ParsableCommand>(asJSON: Bool, as command: Command.Type) -> Never {
    switch error {
    case let error as SecretStoreError:
      let remedy = (error.underlying as? BrokenInstallation)?.remedy ?? Remedy.text(for: error.code)
      if asJSON {
        write(Self.json(code: "\(error.code)", detail: error.detail, remedy: remedy))
      } else {
        write("sso-cache: \(error.detail)\(remedy.isEmpty ? "" : "\n\(remedy)")")
      }
      Glibc.exit(Self.status(of: error.code))
    case let status as ExitCode:
      Glibc.exit(status.rawValue)
    case is SecretAbsent:
      let detail = "There is no such secret."
      write(asJSON ? Self.json(code: "absent", detail: detail, remedy: "") : "sso-cache: \(detail)")
      Glibc.exit(1)
    case let failure as HeadlessFailure:
      write("sso-cache: \(failure.detail)\(failure.remedy.isEmpty ? "" : "\n\(failure.remedy)")")
      Glibc.exit(failure.status)
    case let interrupted as Interrupted: Glibc.exit(128 + interrupted.signal)
    case is CancellationError:
      if asJSON { write(Self.json(code: "cancelled", detail: "Cancelled.", remedy: "")) }
      Glibc.exit(130)
    default:
      let status = Command.exitCode(for: error).rawValue
      if status != 0 && asJSON {
        let detail = Command.message(for: error)
        write(Self.json(code: "invalidArgument", detail: detail, remedy: "See sso-cache --help."))
        Glibc.exit(status)
      }
      Command.exit(withError: error)
    }
  }

  private func write(_ text: String) { Printer.error(text + "\n") }

  private static func json(code: String, detail: String, remedy: String) -> String {
    let members: JSONObject = [
      "code": .string(code), "detail": .string(detail), "remedy": .string(remedy),
    ]
    return String(decoding: JSONValue.object(["error": .object(members)]).serialized(), as: UTF8.self)
  }

  /// The exit status for a code.
  static func status(of code: SecretStoreError.Code) -> Int32 {
    switch code {
    case .interactionRequired: 10
    case .declinedScopes: 11
    case .ambiguousAccount: 12
    case .invalidArgument, .invalidRedirectURI: 64
    case .corruptItem, .conflict: 65
    case .serviceUnavailable, .insecureTransport: 69
    case .storageFailed, .networkError, .serverError: 74
    case .groupLocked, .promptDismissed, .timedOut, .leaseTimedOut: 75
    case .notEntitled, .identityMismatch: 77
    case .groupUnrecoverable: 78
    default: 1
    }
  }
}

// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import HeadlessSession
import SecretStoreCache
import StrictJSON

/// The end of the tool after an error.
///
/// The message goes to standard error, and the exit status depends on the error's code. Only help that was requested
/// goes to standard output.
struct Failure {
  private let error: any Error

  init(_ error: any Error) { self.error = error }

  /// Reports an error of the store and exits.
  static func report(_ error: SecretStoreError, asJSON: Bool) -> Never {
    let remedy = Self.remedy(for: error)
    let reason = (error.underlying as? OAuthError).map { " The server's reason: \($0)." } ?? ""
    let loss = error.unsaved.map { " Also, \($0.consequence)" } ?? ""
    let detail = error.detail + reason + loss
    if asJSON {
      write(Self.json(code: "\(error.code)", detail: detail, remedy: remedy))
    } else {
      write("sso-cache: \(Printer.printable(detail))\(remedy.isEmpty ? "" : "\n\(remedy)")")
    }
    Glibc.exit(status(of: error.code))
  }

  /// Reports the error and exits.
  ///
  /// - Parameters:
  ///   - command: The command that failed, whose usage is shown for an error of the command line.
  ///   - tool: The root command.
  func report(
    asJSON: Bool, as command: any ParsableCommand.Type, of tool: any ParsableCommand.Type
  ) -> Never {
    switch error {
    case let error as SecretStoreError: Self.report(error, asJSON: asJSON)
    case let status as ExitCode:
      Glibc.exit(status.rawValue)
    case is SecretAbsent:
      let detail = "There is no such secret."
      Self.write(asJSON ? Self.json(code: "absent", detail: detail, remedy: "") : "sso-cache: \(detail)")
      Glibc.exit(EXIT_FAILURE)
    case let failure as HeadlessFailure:
      let detail = Printer.printable(failure.detail)
      Self.write("sso-cache: \(detail)\(failure.remedy.isEmpty ? "" : "\n\(failure.remedy)")")
      Glibc.exit(failure.status)
    case let interrupted as Interrupted: Glibc.exit(interrupted.exitStatus)
    case let work as InterruptedWork:
      let text = "sso-cache: \(work.detail)\(work.remedy.isEmpty ? "" : "\n\(work.remedy)")"
      Self.write(asJSON ? Self.json(code: "cancelled", detail: work.detail, remedy: work.remedy) : text)
      Glibc.exit(Interrupted(signal: work.signal).exitStatus)
    case is CancellationError:
      if asJSON { Self.write(Self.json(code: "cancelled", detail: "Cancelled.", remedy: "")) }
      Glibc.exit(Interrupted(signal: SIGINT).exitStatus)
    default:
      let usage = UsageError(error, of: command, in: tool)
      if usage.status == 0 {
        Printer.line(usage.text)
      } else {
        Self.write(
          asJSON
            ? Self.json(code: "invalidArgument", detail: usage.detail, remedy: usage.remedy) : usage.text)
      }
      Glibc.exit(usage.status)
    }
  }

  private static func remedy(for error: SecretStoreError) -> String {
    if let unsaved = error.unsaved {
      return "\(Remedy.text(for: error.code, of: Invocation.group)) \(unsaved.remedy(in: Invocation.group))"
    }
    return switch error.underlying {
    case let underlying as any ErrorWithRemedy: underlying.remedy
    case let records as UnattributedRecords:
      Remedy.removingDamaged(of: Invocation.group, isOfSecret: records.isOfSecret)
    case let accounts as AmbiguousAccounts: Remedy.choosing(among: accounts)
    default: Remedy.text(for: error.code, of: Invocation.group)
    }
  }

  private static func write(_ text: String) { Printer.error(text + "\n") }

  private static func json(code: String, detail: String, remedy: String) -> String {
    let members: JSONObject = [
      "code": .string(code), "detail": .string(detail), "remedy": .string(remedy),
    ]
    return String(decoding: JSONValue.object(["error": .object(members)]).serialized(), as: UTF8.self)
  }

  /// Returns the exit status for an error code: one of sysexits.h, where one fits.
  static func status(of code: SecretStoreError.Code) -> Int32 {
    switch code {
    case .interactionRequired: 10
    case .declinedScopes: 11
    case .ambiguousAccount: 12
    case .invalidArgument, .invalidRedirectURI: EX_USAGE
    case .corruptItem, .invalidFile, .conflict: EX_DATAERR
    case .serviceUnavailable, .insecureTransport: EX_UNAVAILABLE
    case .storageFailed, .networkError, .serverError, .invalidResponse, .missingClientInfo: EX_IOERR
    case .groupLocked, .promptDismissed, .timedOut, .lockTimedOut, .interactiveSessionAlreadyRunning:
      EX_TEMPFAIL
    case .notEntitled, .identityMismatch, .protectionPolicyRequired: EX_NOPERM
    case .groupUnrecoverable: EX_CONFIG
    default: EXIT_FAILURE
    }
  }
}

/// An error for a secret that does not exist.
///
/// The exit status reports it.
struct SecretAbsent: Error {}

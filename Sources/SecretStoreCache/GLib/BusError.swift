// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// A GLib or D-Bus error, identified by domain, code and name; its message is never read and never shown.
package struct BusError: Error, Hashable {
  /// GLib's error domain.
  let domain: String
  /// The code in that domain.
  let code: Int
  /// The name of the D-Bus error, when a service sent it.
  package let name: String?
  /// The interface and the method of a call that the bus has denied, where its error states them.
  var deniedCall: String?

  init(domain: String, code: Int, name: String? = nil) {
    self.domain = domain
    self.code = code
    self.name = name
  }

  /// A reply of another type than the specification gives it.
  static let malformed = BusError(domain: "secretstorecache", code: 1)

  /// A call of GLib that returned neither a value nor an error.
  static let noOutput = BusError(domain: "secretstorecache", code: 4)

  /// A value that D-Bus can't carry.
  static let invalidValue = BusError(domain: "secretstorecache", code: 6)

  /// The bus's error for a call to a name that no program has, and that it can start none for.
  static let noService = BusError(
    domain: "secretstorecache", code: 7, name: "org.freedesktop.DBus.Error.ServiceUnknown")

  /// The bus's error for a call without a reply.
  static let timedOut = BusError(
    domain: "secretstorecache", code: 8, name: "org.freedesktop.DBus.Error.Timeout")

  /// GIO's error for the use of a lost bus.
  static let closed = BusError(domain: "g-io-error-quark", code: 18)

  /// Takes ownership of a `GError` and frees it.
  init(consuming error: UnsafeMutablePointer<GError>) {
    defer { unsafe g_error_free(error) }
    domain = unsafe String(cString: g_quark_to_string(error.pointee.domain))
    code = unsafe Int(error.pointee.code)
    if let remote = unsafe g_dbus_error_get_remote_error(error) {
      name = unsafe String(cString: remote)
      unsafe g_free(remote)
    } else {
      name = nil
    }
  }
}

extension BusError: PublishableError {
  /// The D-Bus error name; without one, the domain and code.
  package var description: String { name ?? "\(domain) \(code)" }
}

/// Runs a C function that reports errors through a `GError **`, and throws them as a `BusError`.
func withGError<Output>(
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Output
) throws(BusError) -> Output {
  var error: UnsafeMutablePointer<GError>?
  let output = unsafe body(&error)
  if let error = unsafe error { throw unsafe BusError(consuming: error) }
  return output
}

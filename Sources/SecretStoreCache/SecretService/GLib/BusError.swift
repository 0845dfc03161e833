// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// A GLib or D-Bus error by its numbers and names; its text is never looked at and never shown.
struct BusError: Error, Hashable {
  /// GLib's error domain.
  let domain: String
  /// The code in that domain.
  let code: Int
  /// The D-Bus error's name, when a service sent it.
  let name: String?

  init(domain: String, code: Int, name: String? = nil) {
    self.domain = domain
    self.code = code
    self.name = name
  }

  /// An answer that is not of the type that the specification gives it.
  static let malformed = BusError(domain: "secretstorecache", code: 1)

  /// GIO's answer to whoever uses a bus that was lost.
  static let closed = BusError(domain: "g-io-error-quark", code: 18)

  /// Takes over a `GError` and frees it.
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
  /// The D-Bus name, else domain and code.
  var description: String { name ?? "\(domain) \(code)" }
}

/// Runs a C function that reports through a `GError **` and turns that into a thrown `BusError`.
func withGError<Output>(
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Output
) throws(BusError) -> Output {
  var error: UnsafeMutablePointer<GError>?
  let output = unsafe body(&error)
  if let error = unsafe error { throw unsafe BusError(consuming: error) }
  return output
}

/// Runs a C function that takes a service's answer, where GIO calls one of the wrong type an invalid argument.
func withAnswer<Output>(
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Output
) throws(BusError) -> Output {
  do throws(BusError) {
    return unsafe try withGError(body)
  } catch {
    throw error.name == nil && error.domain == "g-io-error-quark" && error.code == 13 ? .malformed : error
  }
}

// SPDX-License-Identifier: MIT

import CLibSecret

extension ServiceHandle {
  /// libsecret's service type without its signal handler, which is not needed here.
  ///
  /// In libsecret 0.20 that handler crashes the app when KeePassXC opens a database after a restart.
  static let objectType: GType = {
    var parent = unsafe GTypeQuery()
    unsafe g_type_query(ssc_service_type(), &parent)
    return unsafe g_type_register_static_simple(
      ssc_service_type(), "SecretStoreCacheService", parent.class_size,
      { type, _ in
        unsafe type?.assumingMemoryBound(to: GDBusProxyClass.self).pointee.g_signal = nil
      }, parent.instance_size, nil, GTypeFlags(rawValue: 0))
  }()
}

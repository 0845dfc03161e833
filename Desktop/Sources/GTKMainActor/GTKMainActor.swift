// SPDX-License-Identifier: MIT

import CAdwaita
import Dispatch  // links the library that CAdwaita declares two functions of
import Glibc

/// Swift's main actor in GTK's loop.
///
/// GTK's loop and Swift's main actor both want the main thread. After ``start()``, GTK's loop runs what is queued for
/// the main actor: a `Task` that a handler of GTK begins goes on after each `await`, without polling, and
/// `@MainActor` code may call GTK.
///
/// ```swift
/// GTKMainActor.start()
/// let app = adw_application_new("com.contoso.mail", G_APPLICATION_FLAGS_NONE)
/// connect(signal: "activate", of: app) { Task { await showInbox() } }
/// exit(g_application_run(app, 0, nil))
/// ```
///
/// libdispatch says by an event descriptor that its main queue holds work, as it says it to CoreFoundation's loop. The
/// program must not call `dispatchMain()`, nor end `main` before the loop does.
public enum GTKMainActor {
  /// Lets the loop of the main thread run what is queued for the main actor.
  ///
  /// Call it once, before the loop.
  @MainActor
  public static func start() {
    g_unix_fd_add(
      _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
      { descriptor, _, _ in
        // The count of an event descriptor is read before the work, so that work queued meanwhile sets it anew.
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        _dispatch_main_queue_callback_4CF(nil)
        return 1
      }, nil)
  }
}

// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor
import SecretStoreCache

/// The program: one process for each session, which the desktop also starts for each URL of the app's scheme.
@MainActor
final class MailApplication {
  private let application: Part
  private var controller: MailController?

  init() {
    application = Part(
      UnsafeMutableRawPointer(adw_application_new(MailApp.identifier, G_APPLICATION_HANDLES_OPEN)))
    connect(signal: "activate", of: application.pointer) { [unowned self] in activate() }
    // Its handler has arguments that no other has: the files, which are URLs here.
    let open: @convention(c) (gpointer, UnsafePointer<OpaquePointer>, gint, gpointer, gpointer) -> Void = {
      _, files, count, _, application in
      let urls = UnsafeBufferPointer(start: files, count: Int(count)).map { file in
        let text: UnsafeMutablePointer<CChar> = g_file_get_uri(file)
        defer { g_free(text) }
        return String(cString: text)
      }
      let application = Unmanaged<MailApplication>.fromOpaque(application).takeUnretainedValue()
      MainActor.assumeIsolated { urls.forEach { application.open($0) } }
    }
    g_signal_connect_data(
      application.pointer, "open", unsafeBitCast(open, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(), nil, G_CONNECT_DEFAULT)
  }

  /// Runs until the window is closed, or ends at once when another process has the window.
  func run() -> Int32 {
    g_application_run(application.as(GApplication.self), CommandLine.argc, CommandLine.unsafeArgv)
  }

  private func activate() {
    if let controller { return controller.window.present() }
    let controller = MailController(application: application)
    self.controller = controller
    controller.start()
  }

  /// Hands a URL to the sign-in that waits for it, in this program or in another one of the app.
  ///
  /// Any page and any program can open such a URL. So none is shown, and none brings the window to the front: the
  /// sign-in does that when it knows the URL as its own.
  private func open(_ url: String) {
    let isStarting = controller == nil
    if isStarting { activate() }
    Task {
      do {
        try await RedirectHandler.forward(url, to: MailApp.entitlements.app)
      } catch {
        if isStarting { controller?.window.tell("No sign-in is under way. The link was ignored.") }
      }
    }
  }
}

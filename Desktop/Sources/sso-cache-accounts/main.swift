// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor
import Glibc

// The window of a person's accounts: one for each session, which a second start raises.
GTKMainActor.start()
let app: UnsafeMutablePointer<AdwApplication> = adw_application_new(
  "org.secretstorecache.Accounts", G_APPLICATION_DEFAULT_FLAGS)
var window: AccountsWindow?
connect(signal: "activate", of: UnsafeMutableRawPointer(app)) {
  let shown = window ?? AccountsWindow(app: app)
  window = shown
  shown.present()
}
exit(
  g_application_run(
    UnsafeMutableRawPointer(app).assumingMemoryBound(to: GApplication.self), CommandLine.argc,
    CommandLine.unsafeArgv))

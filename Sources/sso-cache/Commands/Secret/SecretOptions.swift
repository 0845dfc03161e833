// SPDX-License-Identifier: MIT

import ArgumentParser

/// Which secret a command works on.
struct SecretOptions: ParsableArguments {
  @Option(help: "What the secret is for, such as a host.")
  var service: String

  @Option(help: "Whose secret it is there; none by default.")
  var account = ""
}

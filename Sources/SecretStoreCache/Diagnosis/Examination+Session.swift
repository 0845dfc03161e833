// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

extension Examination {
  /// The sandbox, the bus and the provider.
  mutating func examineProvider() async {
    add(SandboxCheck.name, await SandboxCheck(surroundings: surroundings).find())
    let surroundings = surroundings
    let limit = limit
    let bus = await ask(SessionBusCheck.name) {
      try await Deadline.run(within: limit) { await SessionBusCheck(surroundings: surroundings).find() }
    }
    stopIfFailed("there is no session bus")
    guard let bus = bus ?? nil else {
      for name in [ActivationCheck.name, ProviderCheck.name, EncryptionCheck.name] {
        add(name, .notLookedAt(obstacle ?? "there is no session bus"))
      }
      return
    }
    await ask(ActivationCheck.name) { try await ActivationCheck(surroundings: surroundings, bus: bus).find() }
    stopIfFailed("there is no Secret Service")
    let program = await ask(ProviderCheck.name) {
      await ProviderCheck(surroundings: surroundings, bus: bus).find()
    }
    stopIfFailed("the Secret Service does not answer")
    let client = client
    await ask(EncryptionCheck.name) {
      try await EncryptionCheck(client: client, program: program ?? nil).find()
    }
    stopIfFailed("the Secret Service can't be talked to")
  }

  /// The collections that are there without any group, and the proof that they work.
  mutating func examineCollections(_ groups: [AccessGroup]) async {
    let client = client
    let surroundings = surroundings
    await ask(LoginCheck.name) { try await LoginCheck(client: client, group: groups.first).find() }
    await ask(DefaultCollectionCheck.name) { try await DefaultCollectionCheck(client: client).find() }
    let directory = RuntimeDirectoryCheck(surroundings: surroundings).find()
    add(RuntimeDirectoryCheck.name, directory)
    if directory.status == .error {
      add(LeasesCheck.name, .notLookedAt("there is no folder for lock files"))
      add(RoundTripCheck.name, .notLookedAt("there is no folder for lock files"))
      return
    }
    do {
      add(LeasesCheck.name, try await Deadline.run(within: limit) { try await LeasesCheck().find() })
    } catch {
      add(LeasesCheck.name, .error(error))
    }
    written = await ask(RoundTripCheck.name) {
      try await RoundTripCheck(client: client, surroundings: surroundings).find()
    }.flatMap(\.self)
  }

  /// What apps declare, and the clock.
  mutating func examineMachine(_ apps: [AppManifest], handlers: (any SchemeHandlers)?) {
    if apps.isEmpty { add(ManifestCheck.name, .ok("No app declares a group in its .desktop file.")) }
    for app in apps {
      add("\(ManifestCheck.name):\(app.identifier)", ManifestCheck(manifest: app).find())
      add(
        "\(SchemeCheck.name):\(app.identifier)",
        SchemeCheck(manifest: app, handlers: handlers, surroundings: surroundings).find())
    }
    add(
      ClockCheck.name,
      ClockCheck(
        now: surroundings.clock.now(), written: written, newest: newest,
        isSynchronized: surroundings.isClockSynchronized
      ).find())
  }
}

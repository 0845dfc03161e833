// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import SecretStoreCache
import UnifiedCache

extension DiagnosticRun {
  /// Makes the checks of an app that reaches its groups through the agent.
  ///
  /// - Parameters:
  ///   - groups: The groups to check; empty for those that the sandbox states, or else the app's own.
  ///   - open: Returns the back end of a group.
  mutating func checkAgent(
    _ groups: [AccessGroup], in sandbox: DiagnosticEnvironment.Sandbox,
    _ open: @Sendable (AccessGroup) -> AgentBackend
  ) async {
    add(SandboxCheck.name, .ok("The app \(sandbox.name) may talk to the agent."))
    let environment = environment
    _ = await perform(SessionBusCheck.name) { await SessionBusCheck(environment: environment).run() }
    stopIfFailed("there is no session bus")
    var wanted = groups.isEmpty ? FlatpakMetadata(root: environment.root).statedGroups : groups
    if wanted.isEmpty, let own = try? AccessGroup(sandbox.name) { wanted = [own] }
    for group in wanted {
      let backend = open(group)
      await perform("\(AgentCheck.name):\(group.qualifiedName)", group: group) {
        try await AgentGroupCheck(backend: backend, sandbox: sandbox).run()
      }
    }
    checkMachine()
  }

  /// Checks the sandbox, the bus and the provider.
  mutating func checkProvider() async {
    let sandbox = await SandboxCheck(environment: environment).run()
    add(SandboxCheck.name, sandbox)
    let limit = limit
    let bus = await perform(SessionBusCheck.name) { [environment] in
      try await Deadline.run(within: limit) { await SessionBusCheck(environment: environment).run() }
    }
    stopIfFailed("there is no session bus")
    // To a sandboxed process, a service that it may not access looks like a missing service.
    if sandbox.status == .error && obstacle == nil { obstacle = "the sandbox keeps it from this program" }
    guard let bus = bus ?? nil, obstacle == nil else {
      for name in [ActivationCheck.name, ProviderCheck.name, SecondDaemonCheck.name, EncryptionCheck.name] {
        add(name, .skipped(obstacle ?? "there is no session bus"))
      }
      return
    }
    environment.desktopBus = try? await Deadline.run(within: limit) { [environment] in
      await environment.findDesktopBus()
    }
    let environment = environment
    await perform(ActivationCheck.name) {
      try await ActivationCheck(environment: environment, bus: bus).run()
    }
    stopIfFailed("there is no Secret Service")
    let program = await perform(ProviderCheck.name) {
      await ProviderCheck(environment: environment, bus: bus).run()
    }
    let hasProvider = checks.last?.status != .error
    self.environment.program = program ?? nil
    await perform(SecondDaemonCheck.name) {
      try await SecondDaemonCheck(environment: environment, program: program ?? nil).run()
    }
    if environment.sandbox == nil {
      let flatpaks = FlatpakMetadata.installed(
        home: DataDirectories(environment: environment.variables).home, root: environment.root)
      await perform(AgentCheck.name) {
        try await AgentCheck(
          bus: bus, flatpaks: flatpaks, grantProblems: environment.grantProblems, limit: limit * 0.4
        ).run()
      }
    }
    await perform(BrokerCheck.name) { await BrokerCheck(bus: bus, limit: limit * 0.4).run() }
    if !hasProvider { obstacle = obstacle ?? "the Secret Service can't be talked to" }
    let client = client
    await perform(EncryptionCheck.name) {
      try await EncryptionCheck(client: client, program: program ?? nil, environment: environment).run()
    }
    stopIfFailed("the Secret Service can't be talked to")
    if obstacle == nil {
      let files = try? await Deadline.run(within: limit) { try await client.keyringFiles }
      self.environment.keyrings = files ?? environment.keyrings
    }
  }

  /// Checks the login and default collections, the lock files, and a write to the Secret Service.
  mutating func checkCollections(_ groups: [AccessGroup]) async {
    let client = client
    let environment = environment
    await perform(LoginCheck.name) {
      try await LoginCheck(client: client, group: groups.first, environment: environment).run()
    }
    await perform(DefaultCollectionCheck.name) { try await DefaultCollectionCheck(client: client).run() }
    let hasBus = !checks.contains { $0.name == SessionBusCheck.name && $0.status == .error }
    let directory = RuntimeDirectoryCheck(environment: environment, hasBus: hasBus).run()
    add(RuntimeDirectoryCheck.name, directory)
    if directory.status == .error {
      add(LeasesCheck.name, .skipped("there is no folder for lock files"))
      add(RoundTripCheck.name, .skipped("there is no folder for lock files"))
      return
    }
    do {
      add(LeasesCheck.name, try await Deadline.run(within: limit) { try await LeasesCheck().run() })
    } catch {
      add(LeasesCheck.name, .error(error))
    }
    written = await perform(RoundTripCheck.name) {
      try await RoundTripCheck(client: client, environment: environment, groups: groups).run()
    }.flatMap(\.self)
  }

  /// Checks the apps' declarations and the clock.
  ///
  /// - Parameters:
  ///   - apps: The apps that declare groups or schemes.
  ///   - closedFolders: The folders whose apps can't be read, and what is no folder in their place.
  ///   - handlers: The apps that the desktop opens URLs with; `nil` when they are unknown.
  ///   - groups: The groups that exist; `nil` when they were not looked up.
  mutating func checkMachine(
    _ apps: [AppManifest] = [], closedFolders: [String] = [], handlers: (any SchemeHandlers)? = nil,
    groups: [AccessGroup]? = nil
  ) {
    if let result = ManifestCheck.result(closedFolders: closedFolders, declaresGroups: !apps.isEmpty) {
      add(ManifestCheck.name, result)
    }
    for app in apps {
      add(
        "\(ManifestCheck.name):\(app.identifier)",
        ManifestCheck(manifest: app, groups: groups, secrets: secrets).run())
      add(
        "\(SchemeCheck.name):\(app.identifier)",
        SchemeCheck(manifest: app, handlers: handlers, environment: environment).run())
    }
    add(
      ClockCheck.name,
      ClockCheck(
        now: environment.clock.now(), written: written, newest: newest?.time, group: newest?.group,
        isSynchronized: environment.isClockSynchronized
      ).run())
  }
}

// SPDX-License-Identifier: MIT

/// The contestants for one group.
struct Field: Sendable {
  let group: SeededGroup
  let subject: Subject
  /// The same group through the agent.
  let agent: Subject
  let tools: Tools

  /// Returns the contestants of a work.
  ///
  /// The first one is the library.
  func contestants(_ work: Work) -> [Contestant] {
    let document = group.document
    let inC = { (name: String, target: Double?, operation: String, items: [String]) in
      Contestant(name, target: target.map { Target(ratio: $0) }, tools.floor(operation, items))
    }
    let inPython = { (name: String, target: Target?, operation: String) in
      Contestant(name, target: target, tools.peer(operation, group))
    }
    switch work {
    case .coldLookUp:
      return [
        library(work), throughAgent(work), inC("the same calls in C", 1.2, "look-up", document),
        inC("libsecret's `secret_password_lookup`", 1, "simple-look-up", document),
        inC("libsecret's `secret_service_search`", 1, "object-look-up", document),
        inPython("msal-extensions", Target(ratio: 1), "msal-look_up"),
        inPython("SecretStorage", Target(ratio: 1), "secretstorage-look_up"),
        inPython("keyring", Target(ratio: 1), "keyring-look_up"),
      ]
    case .repeatedLookUp:
      return [library(work), throughAgent(work), inC("one `GetSecrets` in C", 1.15, "read", document)]
    case .warmLookUp:
      return [
        library(work),
        inPython("msal-extensions, loaded", Target(ratio: 0.2, accounts: [25]), "msal-warm_look_up"),
      ]
    case .firstSave:
      return [
        library(work), inC("one `CreateItem` in C", 1.2, "create-only", document),
        inC("the same calls in C", nil, "create", document + ["--"] + group.marker),
        inC("libsecret's `secret_service_store`", nil, "object-create", document),
        inPython("msal-extensions", Target(ratio: 0.25, accounts: [25]), "msal-first_save"),
        inPython("SecretStorage", nil, "secretstorage-first_save"),
        inPython("keyring", nil, "keyring-first_save"),
      ]
    case .save:
      return [
        library(work), throughAgent(work), inC("one `SetSecret` in C", 1.2, "set", document),
        inC("the same calls in C", nil, "save", document),
        inC("libsecret's `secret_service_store`", nil, "object-save", document),
        inPython("msal-extensions", Target(ratio: 0.25, accounts: [25]), "msal-save"),
        inPython("SecretStorage", nil, "secretstorage-save"),
        inPython("keyring", nil, "keyring-save"),
        inC(Self.indexSave, nil, "index-save", group.documents),
      ]
    case .saveFamily:
      return [
        library(work), inC("the same calls in C", nil, "save", group.familyToken + ["--"] + document),
      ]
    case .list:
      return [
        library(work), throughAgent(work), inC("the same calls in C", 1.2, "look-up", group.documents),
        inC("libsecret's `secret_service_search`", nil, "object-look-up", group.documents),
        inPython("msal-extensions", Target(ratio: 1, accounts: [5]), "msal-list"),
        inC(Self.indexLookUp, nil, "index-look-up", group.documents),
      ]
    case .importing: return []
    case .tool:
      return [
        Contestant(Self.library, tools.process(token)),
        Contestant("`secret-tool lookup`", target: Target(ratio: 1), tools.process(lookup)),
      ]
    case .memory: return memory(at: 0, target: Target(ratio: 0.5, accounts: [250]))
    case .ownMemory: return memory(at: 1)
    }
  }

  static let library = "**SecretStoreCache**"
  static let indexLookUp = "an index: its search and its secret, in C"
  static let indexSave = "an index: its `SetSecret`, in C"

  private func library(_ work: Work) -> Contestant {
    Contestant(Self.library) { [subject] in try await subject.times(work, $0) }
  }

  private func throughAgent(_ work: Work) -> Contestant {
    Contestant("SecretStoreCache through the agent") { [agent] in try await agent.times(work, $0) }
  }

  /// Returns the contestants of a memory measurement.
  ///
  /// - Parameter index: The index of the number among those that the programs print.
  private func memory(at index: Int, target: Target? = nil) -> [Contestant] {
    let ours = ["\(tools.programs)/holder", group.file]
    let msal = tools.peer("worker.py") + ["msal-memory", "1", "1", group.file]
    return [(Self.library, nil, ours), ("MSAL Python", target, msal)].map { name, target, command in
      Contestant(name, target: target) { _ in [try await Program.numbers(command)[index]] }
    }
  }

  private var token: [String] {
    [
      tools.tool, "token", "--group", group.name, "--client-id", SeededGroup.clientID,
      "--account", group.identifier, "--scope", "mail.read",
    ]
  }

  private var lookup: [String] {
    ["secret-tool", "lookup", "application", group.application, "account", group.identifier]
  }
}

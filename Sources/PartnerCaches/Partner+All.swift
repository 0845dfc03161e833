// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

extension Partner {
  /// The client ID of Azure CLI and of the Azure Developer CLI.
  static let azureCLIClient = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"

  private static let service = "Microsoft.Developer.IdentityService"

  /// The attribute that Azure.Identity for .NET, Az PowerShell, Git Credential Manager and artifacts-credprovider add.
  private static let sharedItem = Item(
    "msal.cache", comparesSchema: false, ["MsalClientID": service, service: "1.0.0.0"])

  /// Returns every tool that is known, with its places in these folders.
  package static func all(in folders: PartnerFolders) -> [Partner] {
    let identity = "\(folders.home)/.IdentityService"
    let dotNet = "\(folders.data)/.IdentityService"
    let gcm = "\(folders.home)/.local/.IdentityService/msal.cache"
    // Nobody shares one lock on this item, so that whoever changes it takes them all.
    let sharedLocks =
      ["\(dotNet)/msal.cache.cae", "\(dotNet)/msal.cache.nocae", gcm, "\(gcm)/msal.cache"]
      .map { "\($0).lockfile" } + ["\(identity)/.lockfile"]
    func shared(_ files: String...) -> [Place] {
      [
        .item(
          sharedItem, files, locks: sharedLocks,
          warning:
            "Azure.Identity for .NET, Az PowerShell, Git Credential Manager and artifacts-credprovider keep "
            + "this one item and overwrite each other.")
      ]
    }
    return [
      azureCLI(folders),
      Partner(
        "azd", "Azure Developer CLI", clientID: azureCLIClient,
        [
          .file(
            "\(folders.azd)/auth/msal/cache.json", lock: "\(folders.azd)/auth/msal/cache.json.lock",
            keepsLock: true)
        ]),
      azureIdentityPython("msal.cache", folders),
      Partner(
        "azure-dotnet", "Azure.Identity for .NET",
        shared("\(dotNet)/msal.cache.cae", "\(dotNet)/msal.cache.nocae")),
      Partner(
        "az-powershell", "Az PowerShell", clientID: "1950a258-227b-4e31-a9cf-717495945fc2",
        shared("\(dotNet)/msal.cache.cae")),
      Partner(
        "git-credential-manager", "Git Credential Manager, developer cache",
        clientID: "872cd9fa-d31f-45e0-9eab-6e460a02d1f1", shared(gcm)),
      Partner("artifacts-credprovider", "Azure Artifacts Credential Provider", shared("\(gcm)/msal.cache")),
      Partner(
        "azure-java", "Azure SDK for Java",
        [
          .item(
            Item("msal.cache", ["MsalClientID": service], excluded: service), [],
            locks: ["\(identity)/.lockfile"],
            warning: "Azure SDK for Java also finds and overwrites the item of Azure.Identity for .NET.")
        ]),
      Partner(
        "azure-js", "Azure SDK for JavaScript",
        [
          .item(
            Item("org.freedesktop.Secret.Generic", ["service": service, "account": "MSALCache"]),
            ["\(identity)/msal.cache"])
        ]),
      Partner(
        "azureauth", "azureauth",
        [
          .item(
            Item(
              "com.microsoft.identity.tokencache", comparesSchema: false,
              ["Version": "1", "ProductGroup": "Microsoft Develoepr Tools"]),
            folders.files(in: dotNet, from: "msal_", to: ".cache"),
            warning: "azureauth keeps one item for all tenants, and a lock for each tenant.")
        ]),
      Partner(
        "azidentity-go", "Azure SDK for Go",
        ["cae", "nocae"].map {
          .file("\(folders.cache)/.IdentityService/msal.cache.\($0)", content: .opaque)
        }),
      Partner(
        "git-credentials", "Git Credential Manager, credentials",
        [.item(Item("com.microsoft.GitCredentialManager"), [], content: .opaque)]),
      Partner(
        "vscode", "Visual Studio Code, account records",
        [".azure", ".Azure"].map {
          .file(
            "\(folders.home)/\($0)/ms-azuretools.vscode-azureresourcegroups/authRecord.json",
            content: .accountRecord)
        }),
    ]
  }

  private static func azureCLI(_ folders: PartnerFolders) -> Partner {
    let (tokens, services) = (
      "\(folders.azure)/msal_token_cache", "\(folders.azure)/service_principal_entries"
    )
    return Partner(
      "azure-cli", "Azure CLI", clientID: azureCLIClient,
      [
        .file("\(tokens).json"),
        .item(
          Item("my_schema_name", ["my_attr1": "foo", "my_attr2": "bar"]), ["\(tokens).bin"],
          locks: ["\(tokens).bin.lockfile", "\(services).bin.lockfile"],
          warning:
            "Azure CLI keeps its tokens and its service principals in this one item, and each overwrites the "
            + "other."),
        .item(Item("Microsoft Azure CLI", ["type": "Token cache"]), ["\(tokens).sig"]),
      ])
  }

  /// Returns azure-identity for Python with its cache of a name.
  private static func azureIdentityPython(_ cache: String, _ folders: PartnerFolders) -> Partner {
    Partner(
      "azure-identity-python", "azure-identity for Python",
      ["cae", "nocae"].map {
        .item(
          Item("\(cache).\($0)", ["MsalClientID": service]),
          ["\(folders.home)/.IdentityService/\(cache).\($0)"])
      })
  }

  /// Returns an app with msal-extensions for Python.
  ///
  /// - Parameter location: The location as the app passes it to `build_encrypted_persistence`: the item's schema is
  ///   its digest.
  private static func msalExtensions(_ location: String, _ folders: PartnerFolders) -> Partner {
    Partner(
      "msal-extensions:\(location)", "msal-extensions for Python",
      [.item(Item(Digest.hex(location)), [folders.expanded(location)])])
  }

  /// Returns the tool with a name, or `nil` when there is none.
  ///
  /// `msal-extensions:LOCATION` is an app's own cache, `azure-identity-python:NAME` one with a name.
  package init?(named name: String, in folders: PartnerFolders) {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let argument = parts.count > 1 ? parts[1] : nil
    if let argument, argument.isEmpty || argument.hasUnsafeCharacter { return nil }
    switch (parts[0], argument) {
    case ("msal-extensions", let location?):
      guard folders.expanded(location).hasPrefix("/") else { return nil }
      self = Self.msalExtensions(location, folders)
    case ("azure-identity-python", let cache?):
      guard !cache.contains("/") else { return nil }
      self = Self.azureIdentityPython(cache, folders)
    case (_, nil):
      guard let partner = Self.all(in: folders).first(where: { $0.name == name }) else { return nil }
      self = partner
    default: return nil
    }
  }
}

// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// SwiftPM reads a target's pkg-config file even for a user who does not need the target, and warns of the flag -pthread
// in GLib's: https://github.com/swiftlang/swift-package-manager/issues/10549. So CLibSecret has a file of its own, which
// names the folders in /usr. Who sets PKG_CONFIG_PATH has the headers elsewhere. The file's path can hold no space.
let hasOwnFile = Context.environment["PKG_CONFIG_PATH"] == nil && !Context.packageDirectory.contains(" ")

// Who leaves the trait out does not fetch the packages that only the tool and the tests need.
let tool = TargetDependencyCondition.when(traits: ["Tool"])

let package = Package(
  name: "SecretStoreCache",
  products: [
    .library(name: "SecretStoreCache", targets: ["SecretStoreCache", "SecretStoreDiagnosis"]),
    .library(name: "SecretStoreAgent", targets: ["SecretStoreAgent"]),
    .library(name: "TokenCacheModel", targets: ["TokenCacheModel", "ADALCache", "KeychainItems"]),
    .library(name: "KeychainGroupModel", targets: ["KeychainGroupModel"]),
    .library(name: "TokenCacheContract", targets: ["TokenCacheContract"]),
    .executable(name: "sso-cache", targets: ["sso-cache"]),
    .executable(name: "secret-store-agent", targets: ["secret-store-agent"]),
    .executable(name: "sso-cache-oidc", targets: ["sso-cache-oidc"]),
  ],
  traits: [
    .default(enabledTraits: ["Tool"]),
    .trait(name: "Tool", description: "Builds sso-cache, with the packages that only it needs."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    // The headers of libsecret and GLib, as a module.
    .systemLibrary(
      name: "CLibSecret",
      pkgConfig: hasOwnFile ? "\(Context.packageDirectory)/Sources/CLibSecret/headers.pc" : "libsecret-1",
      providers: [.apt(["libsecret-1-dev"])]
    ),
    // C functions for Linux: start a program that ends with the tool, hide the tool's memory from other programs, and
    // hold a process by a descriptor.
    .target(name: "CProcess"),
    // JSON in and out: numbers as written, order kept, duplicates refused.
    .target(name: "StrictJSON"),
    // Property lists in XML and binary form, read from untrusted bytes with limits.
    .target(name: "PropertyLists"),
    // Who may use what: groups, entitlements, app identity, redirect URIs, errors.
    .target(name: "KeychainGroupModel", dependencies: ["PropertyLists"]),
    // What is kept: records, the unified cache document and its entries, matching, import and export.
    .target(
      name: "UnifiedCache",
      dependencies: [
        "KeychainGroupModel",
        "StrictJSON",
      ]
    ),
    // How it is used: accounts, saving, silent acquisition, changes, an app's own secrets.
    .target(
      name: "TokenCacheModel",
      dependencies: [
        "KeychainGroupModel",
        "StrictJSON",
        "UnifiedCache",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    // ADAL's cache and files, beside the unified cache, and the sharing of sign-ins with ADAL's apps.
    .target(
      name: "ADALCache",
      dependencies: ["KeychainGroupModel", "PropertyLists", "StrictJSON", "TokenCacheModel", "UnifiedCache"]
    ),
    // The cache as keychain items, under the keys of MSAL for iOS and macOS.
    .target(
      name: "KeychainItems",
      dependencies: ["KeychainGroupModel", "StrictJSON", "TokenCacheModel", "UnifiedCache"]
    ),
    // The rules that every back end keeps, as cases for any test framework.
    .target(name: "TokenCacheContract", dependencies: ["TokenCacheModel", "KeychainGroupModel"]),
    // Where it is kept: the client of the Secret Service, groups, locks, the back end.
    .target(
      name: "SecretStoreCache",
      dependencies: [
        "CLibSecret",
        "KeychainGroupModel",
        "TokenCacheModel",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    // Doctor: the checks of what silent sign-in needs, and the repairs.
    .target(
      name: "SecretStoreDiagnosis",
      dependencies: [
        "KeychainGroupModel",
        "SecretStoreCache",
        "StrictJSON",
        "TokenCacheModel",
        "UnifiedCache",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    // The agent: who calls, what it may use, and the service that serves it.
    .target(
      name: "SecretStoreAgent",
      dependencies: [
        "CLibSecret",
        "CProcess",
        "KeychainGroupModel",
        "SecretStoreCache",
        "TokenCacheModel",
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.embedInCode("Interface/org.secretstorecache.Agent1.xml")]
    ),
    // The agent's program, which the session bus starts.
    .executableTarget(
      name: "secret-store-agent",
      dependencies: [
        "CProcess", "KeychainGroupModel", "SecretStoreAgent", "SecretStoreCache",
        .product(name: "Logging", package: "swift-log"),
      ]),
    // The token caches of other tools: who is signed in there, import and export under their locks.
    .target(
      name: "PartnerCaches",
      dependencies: [
        "KeychainGroupModel", "SecretStoreCache", "StrictJSON", "TokenCacheModel", "UnifiedCache",
      ]
    ),
    // A session bus and a keyring for one command, as `sso-cache run` starts them.
    .target(
      name: "HeadlessSession",
      dependencies: [
        "CProcess",
        "SecretStoreCache",
      ]
    ),
    // The rate of long work, the time left, and the bar of a terminal, as text.
    .target(name: "ProgressText"),
    // The command-line tool.
    .executableTarget(
      name: "sso-cache",
      dependencies: [
        "ADALCache",
        "OIDCHelperProtocol",
        "CProcess",
        "HeadlessSession",
        "KeychainGroupModel",
        "PartnerCaches",
        "ProgressText",
        "SecretStoreAgent",
        "SecretStoreCache",
        "SecretStoreDiagnosis",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tool),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Subprocess", package: "swift-subprocess", condition: tool),
        .product(name: "SystemPackage", package: "swift-system", condition: tool),
      ]
    ),
    // libcurl and zlib, for the tool's helper.
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev", "zlib1g-dev"])]),
    // The tool's helper, which calls an authority over HTTPS.
    .executableTarget(
      name: "sso-cache-oidc", dependencies: ["CCurl", "OIDCHelperProtocol", "TokenCacheModel"]),
    // The messages between the tool and its helper.
    .target(name: "OIDCHelperProtocol", dependencies: ["KeychainGroupModel", "TokenCacheModel"]),
    // Tests of KeychainGroupModel and PropertyLists.
    .testTarget(
      name: "KeychainGroupModelTests",
      dependencies: ["KeychainGroupModel", "PropertyLists"]
    ),
    // Tests of the targets that build without libsecret.
    .testTarget(
      name: "TokenCacheModelTests",
      dependencies: [
        "ADALCache", "KeychainItems", "TokenCacheModel", "TokenCacheContract", "KeychainGroupModel",
        "ProgressText", "PropertyLists",
        "StrictJSON", "UnifiedCache",
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.copy("Fixtures")]
    ),
    // Tests of the Secret Service back end and of doctor, most of them on a real keyring.
    .testTarget(
      name: "SecretStoreCacheTests",
      dependencies: [
        "ADALCache", "KeychainItems", "PartnerCaches", "SecretStoreCache", "SecretStoreDiagnosis",
        "TokenCacheContract",
        "UnifiedCache",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Subprocess", package: "swift-subprocess", condition: tool),
      ]
    ),
    // The back end contract over the agent, as a program that the tests run in a Flatpak.
    .executableTarget(
      name: "sandbox-contract",
      dependencies: ["KeychainGroupModel", "SecretStoreCache", "TokenCacheContract", "TokenCacheModel"],
      path: "Tests/SandboxContract"
    ),
    // Tests of who calls the agent and of what it may use.
    .testTarget(
      name: "SecretStoreAgentTests",
      dependencies: ["CProcess", "KeychainGroupModel", "SecretStoreAgent", "SecretStoreCache"]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}

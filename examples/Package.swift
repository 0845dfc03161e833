// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// What a back end and its tests need.
let contract: [Target.Dependency] = [
  .product(name: "TokenCacheModel", package: "SecretStoreCache"),
  .product(name: "TokenCacheContract", package: "SecretStoreCache"),
]

let package = Package(
  name: "Examples",
  products: [
    .library(name: "ContosoIdentity", targets: ["ContosoIdentity"]),
    .executable(name: "contoso-mail", targets: ["contoso-mail"]),
    .executable(name: "contoso-calendar", targets: ["contoso-calendar"]),
    .executable(name: "fabrikam", targets: ["fabrikam"]),
  ],
  dependencies: [
    .package(name: "SecretStoreCache", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
  ],
  targets: [
    // GLib's digests. SecretStoreCache links GLib, and swift-crypto would be most of the build.
    .systemLibrary(
      name: "CGLib", pkgConfig: "\(Context.packageDirectory)/../Sources/CLibSecret/headers.pc",
      providers: [.apt(["libglib2.0-dev"])]),
    .target(
      name: "ContosoIdentity",
      dependencies: [
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "TokenCacheModel", package: "SecretStoreCache"),
        "CGLib",
        .product(name: "FlyingFox", package: "FlyingFox"),
      ]
    ),
    .target(
      name: "ContosoApp",
      dependencies: [
        "ContosoIdentity",
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "TokenCacheModel", package: "SecretStoreCache"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .executableTarget(
      name: "contoso-mail",
      dependencies: ["ContosoApp"],
      resources: [.embedInCode("entitlements.plist")]
    ),
    .executableTarget(
      name: "contoso-calendar",
      dependencies: ["ContosoApp"],
      resources: [.embedInCode("entitlements.plist")]
    ),
    .executableTarget(
      name: "fabrikam",
      dependencies: [
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.embedInCode("entitlements.plist")]
    ),
    .testTarget(name: "ContosoIdentityTests", dependencies: ["ContosoIdentity"]),
    // A core library with the calls of MSAL, an app without a browser on it, and its tests.
    .target(
      name: "CoreLibrary",
      dependencies: [.product(name: "SecretStoreCache", package: "SecretStoreCache")],
      path: "core-library/Sources/CoreLibrary"
    ),
    .executableTarget(
      name: "contoso-terminal",
      dependencies: ["CoreLibrary", .product(name: "SecretStoreCache", package: "SecretStoreCache")],
      path: "core-library/Sources/contoso-terminal"
    ),
    .testTarget(
      name: "CoreLibraryTests",
      dependencies: ["CoreLibrary", .product(name: "SecretStoreCache", package: "SecretStoreCache")],
      path: "core-library/Tests/CoreLibraryTests"
    ),
    // The back end of the page Plugging in, run over the contract: one source in four settings of the language.
    .testTarget(name: "SampleBackendTests", dependencies: contract),
    .testTarget(
      name: "SampleBackendApproachableConcurrencyTests",
      dependencies: contract,
      swiftSettings: [
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
      ]
    ),
    .testTarget(
      name: "SampleBackendMainActorTests",
      dependencies: contract,
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
    .testTarget(
      name: "SampleBackendSwift5Tests",
      dependencies: contract,
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && !target.name.hasPrefix("SampleBackend") {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}

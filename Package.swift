// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
  name: "SecretStoreCache",
  products: [
    .library(name: "SecretStoreCache", targets: ["SecretStoreCache"]),
    .library(name: "TokenCacheModel", targets: ["TokenCacheModel"]),
    .library(name: "KeychainGroupModel", targets: ["KeychainGroupModel"]),
    .library(name: "TokenCacheContract", targets: ["TokenCacheContract"]),
    .executable(name: "sso-cache", targets: ["sso-cache"]),
    .executable(name: "sso-cache-oidc", targets: ["sso-cache-oidc"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibSecret",
      pkgConfig: "libsecret-1",
      providers: [.apt(["libsecret-1-dev"])]
    ),
    .target(name: "CProcess"),
    .target(name: "KeychainGroupModel"),
    .target(
      name: "TokenCacheModel",
      dependencies: [
        "KeychainGroupModel",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(name: "TokenCacheContract", dependencies: ["TokenCacheModel", "KeychainGroupModel"]),
    .target(
      name: "SecretStoreCache",
      dependencies: [
        "CLibSecret",
        "KeychainGroupModel",
        "TokenCacheModel",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .executableTarget(
      name: "sso-cache",
      dependencies: [
        "AuthorityExchange",
        "CProcess",
        "KeychainGroupModel",
        "SecretStoreCache",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]
    ),
    .executableTarget(name: "sso-cache-oidc", dependencies: ["AuthorityExchange", "TokenCacheModel"]),
    .target(name: "AuthorityExchange", dependencies: ["KeychainGroupModel", "TokenCacheModel"]),
    .testTarget(
      name: "KeychainGroupModelTests",
      dependencies: ["KeychainGroupModel"]
    ),
    .testTarget(
      name: "TokenCacheModelTests",
      dependencies: [
        "TokenCacheModel", "TokenCacheContract", "KeychainGroupModel",
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "SecretStoreCacheTests",
      dependencies: [
        "SecretStoreCache", "TokenCacheContract",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]
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

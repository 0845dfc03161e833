// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// To be built with -sanitize=fuzzer for every module, which brings libFuzzer, too: see Scripts/fuzz.
let package = Package(
  name: "Fuzzing",
  dependencies: [
    .package(name: "SecretStoreCache", path: "..")
  ],
  targets: [
    .systemLibrary(name: "CLibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CLibFuzzer",
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "TokenCacheModel", package: "SecretStoreCache"),
        .product(name: "KeychainGroupModel", package: "SecretStoreCache"),
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

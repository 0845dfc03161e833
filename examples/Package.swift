// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

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
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
  ],
  targets: [
    .target(
      name: "ContosoIdentity",
      dependencies: [
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "FlyingFox", package: "FlyingFox"),
      ]
    ),
    .target(
      name: "ContosoApp",
      dependencies: [
        "ContosoIdentity",
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
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
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}

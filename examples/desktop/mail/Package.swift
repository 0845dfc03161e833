// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// Contoso Mail in a window. A package of its own: who builds the other examples needs no GTK.
let package = Package(
  name: "ContosoMailWindow",
  products: [.executable(name: "contoso-mail-window", targets: ["contoso-mail-window"])],
  dependencies: [
    .package(name: "SecretStoreCache", path: "../../.."),
    .package(name: "Examples", path: "../.."),
    .package(name: "Desktop", path: "../../../Desktop"),
  ],
  targets: [
    // What the window shows, as values: no GTK.
    .target(
      name: "MailModel",
      dependencies: [
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "TokenCacheModel", package: "SecretStoreCache"),
      ]),
    // The window, and the work that its states ask for.
    .executableTarget(
      name: "contoso-mail-window",
      dependencies: [
        "MailModel",
        .product(name: "CAdwaita", package: "Desktop"),
        .product(name: "GTKMainActor", package: "Desktop"),
        .product(name: "ContosoIdentity", package: "Examples"),
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "TokenCacheModel", package: "SecretStoreCache"),
      ],
      resources: [.embedInCode("Window.ui")]),
    .testTarget(
      name: "MailModelTests",
      dependencies: ["MailModel", .product(name: "SecretStoreCache", package: "SecretStoreCache")]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}

// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// The settings of the root package; calls of C are unsafe by nature where the views make them.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

// The window for a person's accounts, and what a GTK app in Swift needs. A package of its own: who uses the library
// needs no GTK.
let package = Package(
  name: "Desktop",
  products: [
    .library(name: "CAdwaita", targets: ["CAdwaita"]),
    .library(name: "GTKMainActor", targets: ["GTKMainActor"]),
    .executable(name: "sso-cache-accounts", targets: ["sso-cache-accounts"]),
  ],
  dependencies: [.package(name: "SecretStoreCache", path: "..")],
  targets: [
    // The headers of GTK 4 and libadwaita, as a module.
    .systemLibrary(
      name: "CAdwaita",
      pkgConfig: "\(Context.packageDirectory)/Sources/CAdwaita/headers.pc",
      providers: [.apt(["libadwaita-1-dev"])]
    ),
    // Swift's main actor in GTK's loop, and closures as handlers of signals.
    .target(name: "GTKMainActor", dependencies: ["CAdwaita"]),
    // What the window for a person's accounts shows and does, without a view.
    .target(
      name: "AccountsModel",
      dependencies: [
        .product(name: "SecretStoreAgent", package: "SecretStoreCache"),
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "TokenCacheModel", package: "SecretStoreCache"),
      ], swiftSettings: strict + [.strictMemorySafety()]),
    // The window.
    .executableTarget(
      name: "sso-cache-accounts", dependencies: ["AccountsModel", "CAdwaita", "GTKMainActor"],
      swiftSettings: strict),
    .testTarget(name: "AccountsModelTests", dependencies: ["AccountsModel"], swiftSettings: strict),
    // What the tests of the main actor run: a program without a window, which reports what its loop did.
    .executableTarget(
      name: "gtk-loop-probe", dependencies: ["CAdwaita", "GTKMainActor"], path: "Tests/gtk-loop-probe"),
  ]
)

// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "SecretStoreCache", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
  ],
  targets: [
    .systemLibrary(
      name: "FloorLibSecret",
      pkgConfig: "\(Context.packageDirectory)/../Sources/CLibSecret/headers.pc",
      providers: [.apt(["libsecret-1-dev"])]
    ),
    // The file of FloorLibSecret has no libraries, and C code does not take them from a module map.
    .executableTarget(
      name: "floor", dependencies: ["FloorLibSecret"],
      linkerSettings: ["secret-1", "gio-2.0", "gobject-2.0", "glib-2.0"].map { .linkedLibrary($0) }),
    .executableTarget(name: "launch"),
    .executableTarget(
      name: "holder",
      dependencies: [.product(name: "SecretStoreCache", package: "SecretStoreCache")]
    ),
    .executableTarget(
      name: "benchmark",
      dependencies: [
        .product(name: "SecretStoreCache", package: "SecretStoreCache"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where ["benchmark", "holder"].contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}

for target in package.targets where ["floor", "launch"].contains(target.name) {
  target.cSettings = [.define("_GNU_SOURCE"), .treatAllWarnings(as: .error)]
}

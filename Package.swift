// swift-tools-version: 6.2
import PackageDescription

/// The upcoming features of the next language mode, taken now so that the step to it is none.
let strict: [SwiftSetting] =
    [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
        "NonisolatedNonsendingByDefault", "InferIsolatedConformances", "ImmutableWeakCaptures",
    ].map { .enableUpcomingFeature($0) } + [.treatAllWarnings(as: .error)]

let package = Package(
    name: "consent-ledger",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Ledger", targets: ["Ledger"]),
        .library(name: "SyncEngine", targets: ["SyncEngine"]),
        .executable(name: "ledgerd", targets: ["ledgerd"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(
            name: "Ledger", dependencies: ["CSQLite", "COpenSSL"], swiftSettings: strict),
        .target(
            name: "SyncEngine", dependencies: ["Ledger", "COpenSSL", "CZlib"], swiftSettings: strict
        ),
        .executableTarget(
            name: "ledgerd", dependencies: ["Ledger", "SyncEngine"], swiftSettings: strict),
        .executableTarget(
            name: "LedgerBenchmarks", dependencies: ["Ledger", "SyncEngine"],
            path: "Benchmarks/Product", swiftSettings: strict),
        .executableTarget(
            name: "Day", dependencies: ["Ledger"], path: "Examples/Day", swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["Ledger", "SyncEngine"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "LedgerTests", dependencies: ["Ledger", "SyncEngine", "TestSupport"],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .testTarget(
            name: "SyncEngineTests", dependencies: ["SyncEngine", "Ledger", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ledgerdTests", dependencies: ["ledgerd", "Ledger", "SyncEngine", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

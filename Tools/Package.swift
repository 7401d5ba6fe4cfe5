// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the library never fetch what only its tools need.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let kingfisher: Target.Dependency = .product(name: "Kingfisher", package: "Kingfisher")
// A server for the demonstration and the tests.
let testing: Target.Dependency = .product(name: "KingfisherTesting", package: "Kingfisher")

let package = Package(
    name: "KingfisherTools",
    products: [
        .executable(name: "kf", targets: ["kf"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // The library logs by it; the tool decides which of that a user sees.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // Pictures made on the spot: what demonstrations and tests share.
        .target(name: "DemoKit", dependencies: [kingfisher], swiftSettings: settings),
        // The command line tool; the library's first customer, by its public API alone.
        .executableTarget(
            name: "kf",
            dependencies: [
                "DemoKit", kingfisher, testing,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "kfTests",
            dependencies: ["DemoKit", kingfisher, testing],
            swiftSettings: settings
        ),
    ]
)

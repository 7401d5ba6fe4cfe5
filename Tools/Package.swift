// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the library do not fetch the tools' dependencies.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let kingfisher: Target.Dependency = .product(name: "Kingfisher", package: "Kingfisher")
// A server for the tests.
let testing: Target.Dependency = .product(name: "KingfisherTesting", package: "Kingfisher")

let package = Package(
    name: "KingfisherTools",
    products: [
        .executable(name: "kf", targets: ["kf"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // The library's logger. The tool filters its messages.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // Access control lists and extended attributes of files.
        .target(name: "CAttributes"),
        // Drawing in terminals by a library that is loaded when it is needed.
        .target(name: "CChafa"),
        // The command line tool. It uses only the library's public API.
        .executableTarget(
            name: "kf",
            dependencies: [
                "CAttributes", "CChafa", kingfisher,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // How many tests run at once; by a symbolic link.
        .target(name: "CToolsTestSupport", path: "Tests/CTestSupport"),
        // They start `kf`, which is optimised, and compute little themselves.
        .testTarget(
            name: "kfTests",
            dependencies: ["CToolsTestSupport", kingfisher, testing],
            swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
        ),
    ]
)

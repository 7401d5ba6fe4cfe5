// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the library do not fetch the benchmarks' dependencies.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "KingfisherBenchmarks",
    products: [
        .executable(name: "kf-bench", targets: ["kf-bench"]),
        .executable(name: "cachesim", targets: ["cachesim"]),
        .executable(name: "transfers", targets: ["transfers"]),
        .executable(name: "first-image", targets: ["first-image"]),
        .executable(name: "bare-start", targets: ["bare-start"]),
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "kf-bench",
            dependencies: [
                "Chance",
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherTesting", package: "Kingfisher"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "cachesim",
            dependencies: ["Chance", .product(name: "Kingfisher", package: "Kingfisher")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "transfers",
            dependencies: [.product(name: "Kingfisher", package: "Kingfisher")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "first-image",
            dependencies: [.product(name: "Kingfisher", package: "Kingfisher")],
            swiftSettings: settings
        ),
        .executableTarget(name: "bare-start", swiftSettings: settings),
        // Random numbers that are equal in every run.
        .target(name: "Chance", swiftSettings: settings),
    ]
)

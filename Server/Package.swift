// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the library do not fetch the service's dependencies.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let kingfisher: Target.Dependency = .product(name: "Kingfisher", package: "Kingfisher")
let redis: Target.Dependency = .product(name: "KingfisherRedis", package: "Kingfisher")
let testing: Target.Dependency = .product(name: "KingfisherTesting", package: "Kingfisher")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOFoundationCompat", package: "swift-nio"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
]
let lifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle"
)

let package = Package(
    name: "KingfisherServer",
    products: [
        .library(name: "KingfisherServer", targets: ["KingfisherServer"]),
        .executable(name: "kf-serve", targets: ["kf-serve"]),
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "..", traits: ["Redis"]),
        // Without its default traits, which need swift-configuration.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            from: "2.20.0",
            traits: []
        ),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        // HMAC-SHA256 for signatures.
        .systemLibrary(
            name: "CServerCrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        // The settings of the allocator.
        .systemLibrary(name: "CServerMemory"),
        .target(
            name: "KingfisherServer",
            dependencies: [
                kingfisher, hummingbird, logging, metrics, tracing, lifecycle, httpTypes,
                "CServerCrypto",
                "CServerMemory",
            ] + nio,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "kf-serve",
            dependencies: [
                "KingfisherServer", kingfisher, redis, hummingbird, logging, lifecycle,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // How many tests run at once; by a symbolic link.
        .target(name: "CServerTestSupport", path: "Tests/CTestSupport"),
        .testTarget(
            name: "KingfisherServerTests",
            dependencies: [
                "CServerTestSupport", "KingfisherServer", "kf-serve", kingfisher, testing,
                hummingbird, logging, metrics,
                httpTypes, lifecycle, tracing, "CServerCrypto",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // Here, because this package builds the library with the trait Redis.
        .testTarget(
            name: "KingfisherRedisTests",
            dependencies: [redis, kingfisher, testing],
            swiftSettings: settings
        ),
    ]
)

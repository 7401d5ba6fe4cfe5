// swift-tools-version: 6.2
import PackageDescription

// One list for every Swift target: strict isolation, explicit imports, no warning survives.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// The same for C.
let shimSettings: [CSetting] = [
    .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]

// Targets for GTK are main-actor isolated.
let withGTK: TargetDependencyCondition? = .when(traits: ["GTK"])
let screenSettings: [SwiftSetting] = settings + [.defaultIsolation(MainActor.self)]

func system(_ name: String, _ pkgConfig: String, apt package: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/SystemLibraries/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([package])]
    )
}

let package = Package(
    name: "Kingfisher",
    products: [
        .library(name: "Kingfisher", targets: ["Kingfisher"]),
        .library(name: "KingfisherGTK", targets: ["KingfisherGTK"]),
        .library(name: "KingfisherTesting", targets: ["KingfisherTesting"]),
        .library(name: "KingfisherRedis", targets: ["KingfisherRedis"]),
    ],
    traits: [
        // Without it KingfisherGTK is an empty module, and GTK's headers are not needed.
        .trait(name: "GTK", description: "Pictures in GTK 4 widgets; needs libgtk-4-dev."),
        // Without it KingfisherRedis is an empty module.
        .trait(name: "Redis", description: "A cache shared by Redis; needs libhiredis-dev."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
    ],
    targets: [
        // C libraries of the system.
        system("CKFJPEG", "libjpeg", apt: "libjpeg-dev"),
        system("CKFPNG", "libpng", apt: "libpng-dev"),
        system("CKFDeflate", "libdeflate", apt: "libdeflate-dev"),
        system("CKFWebP", "libwebp", apt: "libwebp-dev"),
        system("CKFGIF", "libgif", apt: "libgif-dev"),
        system("CKFLCMS", "lcms2", apt: "liblcms2-dev"),
        system("CKFCurl", "libcurl", apt: "libcurl4-openssl-dev"),
        system("CKFCrypto", "libcrypto", apt: "libssl-dev"),
        .target(
            name: "CKFCodecShims",
            dependencies: ["CKFJPEG", "CKFPNG"],
            cSettings: shimSettings,
            // By name: zlib's pkg-config file is for static linking alone. Its headers come with
            // libpng's.
            linkerSettings: [.linkedLibrary("z")]
        ),
        // OpenSSL's library for TLS comes with the headers of libcrypto.
        .target(
            name: "CKFCurlShim",
            dependencies: ["CKFCurl", "CKFCrypto"],
            cSettings: shimSettings,
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("z")]
        ),
        .target(name: "CKFCryptoShim", dependencies: ["CKFCrypto"], cSettings: shimSettings),
        // Starts worker processes and locks them in; system calls that Swift cannot make.
        .target(name: "CKFIsolationShim", cSettings: shimSettings),
        // Threads, and the limits of the process.
        .target(name: "CKFSystemShim", cSettings: shimSettings),
        .target(name: "CKFKernels", cSettings: shimSettings),

        // Floor 0: rasters and arithmetic.
        .target(name: "KFPixels", dependencies: ["CKFKernels"], swiftSettings: settings),
        // Floor 1: bytes to rasters and back.
        .target(
            name: "KFCodecs",
            dependencies: [
                "KFPixels", "CKFCodecShims", "CKFJPEG", "CKFPNG", "CKFDeflate", "CKFLCMS",
                "CKFWebP", "CKFGIF",
            ],
            swiftSettings: settings
        ),
        // Floor 2: the library that people import.
        .target(
            name: "Kingfisher",
            dependencies: [
                "KFPixels", "KFCodecs", "CKFCurl", "CKFCurlShim", "CKFCryptoShim",
                "CKFIsolationShim",
                "CKFSystemShim",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),

        // Floor 3: screens. Everything below is empty unless the trait is on.
        system("CKFGTKHeaders", "gtk4", apt: "libgtk-4-dev"),
        .target(
            name: "CKFGTK",
            dependencies: [.target(name: "CKFGTKHeaders", condition: withGTK)],
            cSettings: shimSettings + [
                .define("KF_GTK", .when(traits: ["GTK"])), .define("_GNU_SOURCE"),
            ]
        ),
        .target(
            name: "KingfisherGTK",
            dependencies: [
                "Kingfisher", "KFPixels", "CKFGTK",
                .target(name: "CKFGTKHeaders", condition: withGTK),
            ],
            swiftSettings: screenSettings
        ),

        // A cache shared by machines. Empty unless the trait is on. By name: hiredis' pkg-config
        // file adds a folder of headers with common names. Scripts/package.sh names the archive.
        .target(
            name: "CKFRedisShim",
            cSettings: shimSettings + [
                .define("KF_REDIS", .when(traits: ["Redis"])), .define("_GNU_SOURCE"),
            ],
            linkerSettings: [Context.environment["KF_HIREDIS"] ?? "hiredis", "ssl", "crypto"].map {
                .linkedLibrary($0, .when(traits: ["Redis"]))
            }
        ),
        .target(
            name: "KingfisherRedis",
            dependencies: [
                "Kingfisher", "CKFRedisShim", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),

        // For the tests of those who use the library, and for ours; knows the public API alone.
        .target(
            name: "KingfisherTesting",
            dependencies: ["Kingfisher"],
            swiftSettings: settings
        ),

        .target(
            name: "TestSupport",
            dependencies: ["Kingfisher", "KingfisherTesting", "KFPixels", "KFCodecs"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "KFPixelsTests",
            dependencies: ["KFPixels"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KFCodecsTests",
            dependencies: ["KFCodecs", "KFPixels", "CKFCodecShims", "CKFDeflate"],
            resources: [.copy("DeepJPEG"), .copy("Fixtures")],
            swiftSettings: settings
        ),
        // A program whose main begins with our line, because that of the test runner does not; it
        // also has faults that tests ask for.
        .executableTarget(
            name: "isolation-worker",
            dependencies: ["Kingfisher"],
            path: "Tests/IsolationWorker",
            swiftSettings: settings
        ),
        .testTarget(
            name: "KingfisherTests",
            dependencies: [
                "Kingfisher", "KingfisherTesting", "KFCodecs", "KFPixels", "TestSupport",
                "CKFCrypto",
                "CKFCurlShim", "CKFIsolationShim", "isolation-worker",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Runs before the main function of all tests: one target that depends on it is enough.
        .target(name: "CTestSupport", path: "Tests/CTestSupport", cSettings: shimSettings),
        .testTarget(
            name: "KingfisherTestingTests",
            dependencies: ["Kingfisher", "KingfisherTesting", "CTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KingfisherGTKTests",
            dependencies: [
                "KingfisherGTK", "Kingfisher", "KFPixels", "CKFGTK", "TestSupport",
                .target(name: "CKFGTKHeaders", condition: withGTK),
            ],
            swiftSettings: screenSettings
        ),
        // Programs as they were written before strict concurrency. The compiler warns of what Swift 6
        // will refuse, as it does with the original; that they compile is the point.
        .testTarget(
            name: "SwiftFiveTests",
            dependencies: ["Kingfisher", "KingfisherTesting"],
            swiftSettings: [
                .swiftLanguageMode(.v5), .enableExperimentalFeature("StrictConcurrency=complete"),
                .unsafeFlags(["-suppress-warnings"]),
            ]
        ),
        // Reads the sources as text and holds the house to its plan.
        .testTarget(name: "LayeringTests", swiftSettings: settings),
        // Compiles what the documentation shows.
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["Kingfisher", "KingfisherTesting", "KingfisherGTK"],
            swiftSettings: settings
        ),
    ]
)

// For Scripts/fuzz.sh alone: libFuzzer brings a main of its own, so a usual build cannot link it.
if Context.environment["KF_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "CodecsFuzz",
            dependencies: ["KFCodecs", "KFPixels"],
            path: "Fuzz/CodecsFuzz",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        )
    )
}

// For Scripts/kernels.sh and Scripts/bench.sh alone: what measures floors that only this package
// can call.
if Context.environment["KF_KERNELS"] != nil {
    package.targets += [
        .executableTarget(
            name: "kernel-count",
            dependencies: ["KFPixels"],
            path: "Benchmarks/Kernels",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "codecs-peer",
            dependencies: ["KFCodecs", "KFPixels"],
            path: "Benchmarks/CodecsPeer",
            swiftSettings: settings
        ),
    ]
}

// For Scripts/races.sh and Scripts/memory.sh: without the tests that their sanitizer does not run.
if let sanitizer = Context.environment["KF_SANITIZER"] {
    var left: Set = ["LayeringTests", "DocumentationTests"]
    if sanitizer == "thread" { left.formUnion(["KFCodecsTests", "KFPixelsTests"]) }
    package.products = []
    package.targets.removeAll { left.contains($0.name) }
    let files = Context.environment["KF_LEFT_OUT"]?.split(separator: " ").map(String.init) ?? []
    for target in package.targets where target.name == "KingfisherTests" { target.exclude = files }
    // The tests of these two compute most of their time: without a sanitizer, a third of it is left.
    for target in package.targets
    where sanitizer == "address" && ["KFPixels", "KFCodecs"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O"]))
    }
}

// swift-tools-version: 6.2
import PackageDescription

// Small programs to read and to start from, in the style of code for the reference library. CI
// builds and runs them; they serve the images they need themselves.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error)
]

let kingfisher: Target.Dependency = .product(name: "Kingfisher", package: "Kingfisher")
let testing: Target.Dependency = .product(name: "KingfisherTesting", package: "Kingfisher")

func example(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [kingfisher, "Exhibition"],
        swiftSettings: settings
    )
}

let package = Package(
    name: "KingfisherExamples",
    dependencies: [
        .package(name: "Kingfisher", path: "..")
    ],
    targets: [
        // The images that they load.
        .target(
            name: "Exhibition",
            dependencies: [kingfisher, testing],
            swiftSettings: settings
        ),

        example("first-load"),
        example("thumbnails"),
        example("options"),
        example("builder"),
        example("custom-processor"),
        example("custom-serializer"),
        example("data-provider"),
        example("request-modifier"),
        example("cache-settings"),
        example("prefetch-list"),
        example("retry"),
        example("authentication"),
        .executableTarget(
            name: "demo",
            dependencies: [kingfisher, testing, "DemoKit", "Exhibition"],
            swiftSettings: settings
        ),
        // The images that it paints and serves.
        .target(
            name: "DemoKit",
            dependencies: [kingfisher],
            // Painting takes forty times as long without optimisation.
            swiftSettings: settings + [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .unsafeFlags(["-O"], .when(configuration: .debug)),
            ]
        ),
        .executableTarget(
            name: "urlsession-transport",
            dependencies: [kingfisher, testing, "Exhibition"],
            swiftSettings: settings
        ),

        // Programs in the idiom of the original, which Scripts/check.sh also checks in Swift 5 mode.
        example("view-model"),
        example("feed"),
        .target(name: "CacheStack", dependencies: [kingfisher], swiftSettings: settings),
        .testTarget(
            name: "CacheStackTests",
            dependencies: ["CacheStack", kingfisher, testing],
            swiftSettings: settings
        ),

        // How to test code that loads images.
        .testTarget(
            name: "ExampleTests",
            dependencies: [kingfisher, testing],
            swiftSettings: settings
        ),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

// Small programs to read and to begin with, written as code for the reference library is written.
// CI builds and runs them; those that need pictures serve them to themselves.
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
        // The pictures that they load.
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
            name: "urlsession-transport",
            dependencies: [kingfisher, testing, "Exhibition"],
            swiftSettings: settings
        ),

        // Programs in the idiom of the original, which Scripts/test.sh checks in Swift 5 mode, too.
        example("view-model"),
        example("feed"),
        .target(name: "CacheStack", dependencies: [kingfisher], swiftSettings: settings),
        .testTarget(
            name: "CacheStackTests",
            dependencies: ["CacheStack", kingfisher, testing],
            swiftSettings: settings
        ),

        // How to test code that loads pictures.
        .testTarget(
            name: "ExampleTests",
            dependencies: [kingfisher, testing],
            swiftSettings: settings
        ),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

// Small programs to read and to begin with; CI builds them.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error)
]

func example(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: "Kingfisher", package: "Kingfisher")],
        swiftSettings: settings
    )
}

let package = Package(
    name: "KingfisherExamples",
    dependencies: [
        .package(name: "Kingfisher", path: "..")
    ],
    targets: [
        example("first-load"),
        example("thumbnails"),
    ]
)

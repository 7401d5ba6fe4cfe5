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

let package = Package(
    name: "Kingfisher",
    targets: [
        .target(name: "CKernels"),

        // Floor 0: rasters and arithmetic.
        .target(name: "Pixels", dependencies: ["CKernels"], swiftSettings: settings),
        .testTarget(
            name: "PixelsTests",
            dependencies: ["Pixels"],
            swiftSettings: settings
        ),
    ]
)

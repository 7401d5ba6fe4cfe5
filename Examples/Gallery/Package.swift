// swift-tools-version: 6.2
import PackageDescription

// A separate package: it enables the library's trait GTK and therefore needs GTK's headers.
let package = Package(
    name: "KingfisherGallery",
    products: [
        .executable(name: "gallery", targets: ["gallery"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "../..", traits: ["GTK"])
    ],
    targets: [
        // GTK's own functions, for the windows around the images.
        .systemLibrary(
            name: "CGalleryGTK",
            pkgConfig: "gtk4",
            providers: [.apt(["libgtk-4-dev"])]
        ),
        .executableTarget(
            name: "gallery",
            dependencies: [
                "CGalleryGTK",
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherGTK", package: "Kingfisher"),
            ],
            swiftSettings: [
                .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ]
        ),
    ]
)

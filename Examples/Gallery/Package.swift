// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it turns on the library's trait GTK, and so needs GTK's headers.
let package = Package(
    name: "KingfisherGallery",
    products: [
        .executable(name: "gallery", targets: ["gallery"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "../..", traits: ["GTK"])
    ],
    targets: [
        // GTK's own functions, for building the windows around our pictures.
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

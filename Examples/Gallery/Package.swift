// swift-tools-version: 6.2
import PackageDescription

let adapterSettings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"), .treatAllWarnings(as: .error),
]

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
        // The painter of the demonstration, by a symbolic link.
        .target(
            name: "DemoKit",
            dependencies: [.product(name: "Kingfisher", package: "Kingfisher")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .treatAllWarnings(as: .error),
                // Painting takes forty times as long without optimisation.
                .unsafeFlags(["-O"], .when(configuration: .debug)),
            ]
        ),
        // Images in declarative frameworks, compiled with stand-ins for these.
        .target(
            name: "CrossUIStandIn",
            dependencies: ["CGalleryGTK"],
            swiftSettings: adapterSettings
        ),
        .target(
            name: "CrossUIImage",
            dependencies: [
                "CrossUIStandIn", .product(name: "KingfisherGTK", package: "Kingfisher"),
            ],
            swiftSettings: adapterSettings
        ),
        .target(name: "MetaStandIn", swiftSettings: adapterSettings),
        .target(
            name: "AdwaitaImage",
            dependencies: [
                "MetaStandIn", .product(name: "KingfisherGTK", package: "Kingfisher"),
            ],
            swiftSettings: adapterSettings
        ),
        .executableTarget(
            name: "gallery",
            dependencies: [
                "CGalleryGTK",
                "DemoKit",
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

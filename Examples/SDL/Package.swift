// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error)
]

let kingfisher: Target.Dependency = .product(name: "Kingfisher", package: "Kingfisher")
let testing: Target.Dependency = .product(name: "KingfisherTesting", package: "Kingfisher")

// A binding for another toolkit than GTK, in one file. A separate package, because it needs SDL's
// headers.
let package = Package(
    name: "KingfisherSDL",
    dependencies: [
        .package(name: "Kingfisher", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CSDL2", pkgConfig: "sdl2", providers: [.apt(["libsdl2-dev"])]),
        .target(name: "SDLImages", dependencies: ["CSDL2", kingfisher], swiftSettings: settings),
        .executableTarget(
            name: "sdl-grid",
            dependencies: ["CSDL2", "SDLImages", kingfisher, testing],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SDLImagesTests",
            dependencies: ["CSDL2", "SDLImages", kingfisher, testing],
            swiftSettings: settings
        ),
    ]
)

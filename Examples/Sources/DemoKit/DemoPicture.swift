package import Foundation
import Kingfisher

/// An image that the demonstration generates, so that it needs no network.
package struct DemoPicture: Sendable {
    /// The file name, whose suffix determines the format.
    package let name: String
    package let width: Int
    package let height: Int
    private let paint: @Sendable () -> Canvas

    init(_ name: String, width: Int, height: Int, paint: @escaping @Sendable () -> Canvas) {
        self.name = name
        self.width = width
        self.height = height
        self.paint = paint
    }

    /// Paints and encodes the image: PNG or JPEG of quality 0.9, according to its name.
    ///
    /// - Returns: Nil if the library cannot encode it.
    package func encoded() -> Data? {
        let image = paint().image
        return name.hasSuffix(".png")
            ? image?.kf.pngRepresentation()
            : image?.kf.jpegRepresentation(compressionQuality: 0.9)
    }

    /// All images of the demonstration: photographs and drawings.
    package static let all: [DemoPicture] = [
        landscape("dawn.jpg", width: 1920, height: 1280, dawn),
        landscape("lake.jpg", width: 1600, height: 1067, lake),
        landscape("dunes.jpg", width: 1200, height: 1600, dunes),
        landscape("night.jpg", width: 1600, height: 900, night),
        DemoPicture("kingfisher.png", width: 1200, height: 1200) {
            Artwork.kingfisher(side: 1200)
        },
        DemoPicture("flower.png", width: 640, height: 640) { Artwork.flower(side: 640) },
    ]

    private static func landscape(
        _ name: String,
        width: Int,
        height: Int,
        _ place: Landscape
    ) -> DemoPicture {
        DemoPicture(name, width: width, height: height) {
            place.painted(width: width, height: height)
        }
    }
}

// MARK: - Places

extension DemoPicture {
    static let dawn = Landscape(
        seed: 11,
        skyTop: SIMD3(0.20, 0.32, 0.56),
        skyHorizon: SIMD3(0.98, 0.72, 0.52),
        sun: SIMD2(0.66, 0.47),
        sunColour: SIMD3(1, 0.90, 0.68),
        glow: 0.26,
        clouds: 0.44,
        cloudColour: SIMD3(0.90, 0.66, 0.62),
        ridges: [
            .init(
                base: 0.60,
                rise: 0.20,
                peaks: 4,
                octaves: 4,
                lit: SIMD3(0.62, 0.52, 0.60),
                shadow: SIMD3(0.40, 0.36, 0.50)
            ),
            .init(
                base: 0.70,
                rise: 0.24,
                peaks: 3,
                octaves: 5,
                lit: SIMD3(0.46, 0.38, 0.42),
                shadow: SIMD3(0.22, 0.20, 0.32)
            ),
            .init(
                base: 0.84,
                rise: 0.22,
                peaks: 4,
                octaves: 6,
                lit: SIMD3(0.36, 0.34, 0.22),
                shadow: SIMD3(0.10, 0.12, 0.14)
            ),
            .init(
                base: 1.02,
                rise: 0.20,
                peaks: 6,
                octaves: 6,
                lit: SIMD3(0.26, 0.28, 0.12),
                shadow: SIMD3(0.04, 0.06, 0.05)
            ),
        ]
    )

    static let lake = Landscape(
        seed: 23,
        skyTop: SIMD3(0.22, 0.48, 0.80),
        skyHorizon: SIMD3(0.80, 0.90, 0.96),
        sun: SIMD2(0.22, 0.14),
        sunColour: SIMD3(1, 0.98, 0.92),
        glow: 0.16,
        clouds: 0.52,
        cloudColour: SIMD3(0.97, 0.97, 0.98),
        ridges: [
            .init(
                base: 0.52,
                rise: 0.30,
                peaks: 3,
                octaves: 6,
                lit: SIMD3(0.72, 0.74, 0.78),
                shadow: SIMD3(0.34, 0.40, 0.50)
            ),
            .init(
                base: 0.58,
                rise: 0.16,
                peaks: 5,
                octaves: 6,
                lit: SIMD3(0.34, 0.46, 0.28),
                shadow: SIMD3(0.10, 0.20, 0.16)
            ),
        ],
        waterline: 0.60
    )

    static let dunes = Landscape(
        seed: 37,
        skyTop: SIMD3(0.26, 0.54, 0.78),
        skyHorizon: SIMD3(0.94, 0.88, 0.76),
        sun: SIMD2(0.80, 0.20),
        sunColour: SIMD3(1, 0.97, 0.86),
        glow: 0.12,
        clouds: 0,
        cloudColour: SIMD3(1, 1, 1),
        ridges: [
            .init(
                base: 0.50,
                rise: 0.10,
                peaks: 3,
                octaves: 4,
                lit: SIMD3(0.92, 0.72, 0.50),
                shadow: SIMD3(0.66, 0.44, 0.32)
            ),
            .init(
                base: 0.66,
                rise: 0.16,
                peaks: 2,
                octaves: 4,
                lit: SIMD3(0.94, 0.66, 0.38),
                shadow: SIMD3(0.60, 0.34, 0.20)
            ),
            .init(
                base: 0.86,
                rise: 0.20,
                peaks: 2,
                octaves: 5,
                lit: SIMD3(0.92, 0.58, 0.28),
                shadow: SIMD3(0.46, 0.22, 0.12)
            ),
        ]
    )

    static let night = Landscape(
        seed: 58,
        skyTop: SIMD3(0.02, 0.03, 0.10),
        skyHorizon: SIMD3(0.16, 0.22, 0.42),
        sun: SIMD2(0.30, 0.24),
        sunColour: SIMD3(0.94, 0.94, 0.86),
        glow: 0.09,
        clouds: 0.30,
        cloudColour: SIMD3(0.16, 0.18, 0.30),
        ridges: [
            .init(
                base: 0.72,
                rise: 0.22,
                peaks: 4,
                octaves: 5,
                lit: SIMD3(0.20, 0.26, 0.42),
                shadow: SIMD3(0.06, 0.08, 0.18)
            ),
            .init(
                base: 0.80,
                rise: 0.14,
                peaks: 8,
                octaves: 6,
                lit: SIMD3(0.08, 0.12, 0.18),
                shadow: SIMD3(0.01, 0.02, 0.05)
            ),
        ],
        waterline: 0.84,
        hasStars: true
    )
}

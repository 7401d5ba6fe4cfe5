import Foundation
import Kingfisher

extension Benchmarks {
    /// From raw pixels to another size with a Lanczos filter.
    ///
    /// The targets relative to Pillow apply to processors with AVX2 or NEON, and to all others.
    static let resizing = [
        resize(
            "resize-tenth",
            "12mp.rgba",
            (4000, 3000),
            to: (400, 300),
            2,
            [
                .time(0.5, of: "Pillow"), .time(0.1, of: "libvips"),
                .time(1, of: "Pillow-SIMD"),
            ]
        ),
        resize(
            "resize-third",
            "1mp.rgba",
            (1200, 900),
            to: (400, 300),
            20,
            [
                .time(0.15, of: "Pillow"), .timeInSwift(0.3, of: "Pillow"),
                .time(1, of: "Pillow-SIMD"),
            ]
        ),
        resize(
            "resize-double",
            "1mp.rgba",
            (1200, 900),
            to: (2400, 1800),
            4,
            [
                .time(0.2, of: "Pillow"), .timeInSwift(0.35, of: "Pillow"),
                .time(0.9, of: "Pillow-SIMD"),
            ]
        ),
    ]

    private static func resize(
        _ name: String,
        _ file: String,
        _ size: (width: Int, height: Int),
        to target: (width: Int, height: Int),
        _ repetitions: Int,
        _ targets: [Target]
    ) -> Benchmark {
        let sizes = "\(size.width)x\(size.height)-\(target.width)x\(target.height)"
        return Benchmark(
            name: name,
            title: "raw RGBA \(size.width) × \(size.height) to "
                + "\(target.width) × \(target.height), Lanczos",
            work: "resize-\(sizes)",
            file: file,
            repetitions: repetitions,
            targets: targets
        ) { data in
            let image = try RawImage.make(of: data, width: size.width, height: size.height)
            let wanted = CGSize(width: target.width, height: target.height)
            return { RawImage.byteCount(of: image.kf.resize(to: wanted)) }
        }
    }
}

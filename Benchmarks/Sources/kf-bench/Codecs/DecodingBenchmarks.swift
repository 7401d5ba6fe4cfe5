import Foundation
import Kingfisher

extension Benchmarks {
    /// From files to pixels.
    static let decoding = [
        still("decode-jpeg", "3mp.jpg", "a 3 MP JPEG", []),
        still("decode-png", "3mp.png", "a 3 MP PNG", []),
        still("decode-webp", "3mp.webp", "a 3 MP WebP", [.time(1, of: "Pillow")]),
        still("decode-avif", "3mp.avif", "a 3 MP AVIF", [.time(1, of: "Pillow")]),
        animation("decode-gif-animation", "animation.gif", "GIF"),
        animation("decode-webp-animation", "animation.webp", "WebP"),
        animation("decode-avif-animation", "animation.avif", "AVIF"),
    ]

    private static func still(
        _ name: String,
        _ file: String,
        _ what: String,
        _ targets: [Target]
    ) -> Benchmark {
        Benchmark(
            name: name,
            title: "\(what) to RGBA pixels",
            work: "decode",
            file: file,
            repetitions: 4,
            targets: targets
        ) { data in
            {
                guard let image = KFCrossPlatformImage(data: data) else {
                    throw BenchmarkError("no image was decoded")
                }
                return image.withPremultipliedRGBA { pixels, _ in pixels.count }
            }
        }
    }

    private static func animation(_ name: String, _ file: String, _ format: String) -> Benchmark {
        Benchmark(
            name: name,
            title: "all 40 frames of a \(format) animation, 480 × 270, to RGBA pixels",
            work: "decode-animation",
            file: file,
            repetitions: 2,
            targets: [.time(1, of: "Pillow")]
        ) { data in { try allFrames(of: data) } }
    }

    private static func allFrames(of data: Data) throws -> Int {
        let image = KingfisherWrapper.animatedImage(data: data, options: ImageCreatingOptions())
        guard let source = image?.kf.frameSource, source.frameCount > 1 else {
            throw BenchmarkError("no animation came out")
        }
        return try (0..<source.frameCount).reduce(0) { sum, index in
            guard let frame = source.frame(at: index) else {
                throw BenchmarkError("frame \(index) is missing")
            }
            return sum + frame.withPremultipliedRGBA { pixels, _ in pixels.count }
        }
    }
}

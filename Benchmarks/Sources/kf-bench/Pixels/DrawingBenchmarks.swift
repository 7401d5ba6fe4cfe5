import Foundation
import Kingfisher

extension Benchmarks {
    /// Drawing on one megapixel.
    static let drawing = [
        draw(
            "blur",
            "Gaussian blur of σ 10",
            2,
            [
                .time(0.35, of: "Pillow"), .timeInSwift(0.35, of: "Pillow"),
                .time(0.5, of: "Pillow-SIMD"),
            ]
        ) {
            $0.kf.blurred(withRadius: 10)
        },
        draw("tint", "a tint", 20, [.milliseconds(1)]) { $0.kf.tinted(with: colour) },
        draw("overlay", "an overlay", 20, [.milliseconds(1)]) {
            $0.kf.overlaying(with: colour, fraction: 0.5)
        },
        draw("black-white", "black and white", 20, [.milliseconds(1)]) {
            let options = KingfisherParsedOptionsInfo(nil)
            return BlackWhiteProcessor().process(item: .image($0), options: options) ?? $0
        },
        draw("round", "round corners of radius 50", 20, [.milliseconds(1)]) {
            $0.kf.image(withRadius: .point(50), fit: $0.size)
        },
    ]

    private static let colour = KFCrossPlatformColor(red: 1, green: 0.2, blue: 0, alpha: 0.4)

    private static func draw(
        _ name: String,
        _ what: String,
        _ repetitions: Int,
        _ targets: [Target],
        _ body: @escaping @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage
    ) -> Benchmark {
        Benchmark(
            name: name,
            title: "\(what), raw RGBA 1000 × 1000",
            work: name,
            file: "1000.rgba",
            repetitions: repetitions,
            targets: targets
        ) { data in
            let image = try RawImage.make(of: data, width: 1000, height: 1000)
            return { RawImage.byteCount(of: body(image)) }
        }
    }
}

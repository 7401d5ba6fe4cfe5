import Foundation
import Kingfisher

/// Creates images from the raw pixels of the corpus.
enum RawImage {
    static func make(of data: Data, width: Int, height: Int) throws -> KFCrossPlatformImage {
        guard
            let image = KFCrossPlatformImage(
                premultipliedRGBA: data,
                width: width,
                height: height
            )
        else { throw BenchmarkError("the raw pixels are not \(width) × \(height)") }
        return image
    }

    /// The bytes of an image, to show that it was made.
    static func byteCount(of image: KFCrossPlatformImage) -> Int {
        image.withPremultipliedRGBA { pixels, _ in pixels.count }
    }

    /// Applies the work `resize-WxH-WxH` or `blur-WxH-RADIUS` to raw pixels, for comparisons of
    /// quality.
    static func process(_ data: Data, _ work: String) throws -> Data {
        let parts = work.split(separator: "-")
        let sides = parts.dropFirst().map { $0.split(separator: "x").compactMap { Int($0) } }
        guard sides.count == 2, sides[0].count == 2 else {
            throw BenchmarkError("'\(work)' is not an operation whose result can be saved")
        }
        let image = try make(of: data, width: sides[0][0], height: sides[0][1])
        let result =
            switch (parts[0], sides[1].count) {
            case ("resize", 2): image.kf.resize(to: CGSize(width: sides[1][0], height: sides[1][1]))
            case ("blur", 1): image.kf.blurred(withRadius: CGFloat(sides[1][0]))
            default: throw BenchmarkError("'\(work)' is not an operation whose result can be saved")
            }
        return result.withPremultipliedRGBA { pixels, _ in Data(pixels) }
    }
}

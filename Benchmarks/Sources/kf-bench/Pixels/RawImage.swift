import Foundation
import Kingfisher

/// Images of the raw pixels in the corpus.
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
}

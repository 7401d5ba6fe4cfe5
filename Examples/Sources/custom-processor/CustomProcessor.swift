// A custom processor, alone and in a chain.
import Exhibition
import Foundation
import Kingfisher

/// Reduces every channel to a few steps, like an old screen print.
struct PosterProcessor: ImageProcessor {
    let steps: Int

    /// Identifies this processor's images in the cache: it must contain every parameter that
    /// changes them.
    var identifier: String { "com.example.poster(\(steps))" }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            return poster(image)
        case .data:
            // Bytes are first decoded by the default processor.
            return (DefaultImageProcessor.default |> self).process(item: item, options: options)
        }
    }

    private func poster(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        let width = 255 / max(1, steps - 1)
        let pixels = image.withPremultipliedRGBA { bytes, bytesPerRow in
            var pixels = Data(capacity: image.pixelWidth * image.pixelHeight * 4)
            for y in 0..<image.pixelHeight {
                for x in 0..<image.pixelWidth * 4 {
                    let value = Int(bytes[y * bytesPerRow + x])
                    pixels.append(x % 4 == 3 ? 255 : UInt8((value + width / 2) / width * width))
                }
            }
            return pixels
        }
        return KFCrossPlatformImage(
            premultipliedRGBA: pixels,
            width: image.pixelWidth,
            height: image.pixelHeight,
            scale: image.scale
        )
    }
}

@main
struct CustomProcessor {
    static func main() async throws {
        let exhibition = try Exhibition()
        let manager = KingfisherManager(downloader: .default, cache: try temporaryCache())
        let url = exhibition.url("/photo.jpg")

        let chain =
            ResizingImageProcessor(referenceSize: CGSize(width: 64, height: 48))
            |> PosterProcessor(steps: 2)
            |> RoundCornerImageProcessor(cornerRadius: 8)
        let result = try await manager.retrieveImage(
            with: url,
            options: [.processor(chain), .waitForCache]
        )
        let channels = result.image.withPremultipliedRGBA { bytes, bytesPerRow in
            (0..<64).map { bytes[24 * bytesPerRow + $0 * 4] }
        }
        check(Set(channels) == [0, 255], "the middle row has only red values of 0 and 255")
        check(result.image.size == CGSize(width: 64, height: 48), "the image is 64 by 48 pixels")

        let isCached = manager.cache.isCached(
            forKey: url.cacheKey,
            processorIdentifier: chain.identifier
        )
        check(isCached, "it is cached under the identifiers of the chain")
        check(!manager.cache.isCached(forKey: url.cacheKey), "and not as the original")
    }
}

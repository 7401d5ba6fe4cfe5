package import Foundation
import KFCodecs
package import KFPixels

/// Small images for tests, generated on demand.
package enum TestImage {
    /// A bitmap with a gradient, so that sizes and rotations can be distinguished.
    package static func bitmap(width: Int = 64, height: Int = 48) -> Bitmap {
        let size = PixelSize(width: width, height: height)
        do {
            return try Bitmap(size: size, isOpaque: true) { pixels, bytesPerRow in
                for y in 0..<height {
                    for x in 0..<width {
                        let pixel = pixels + y * bytesPerRow + x * 4
                        pixel[0] = UInt8(x * 255 / max(1, width - 1))
                        pixel[1] = UInt8(y * 255 / max(1, height - 1))
                        pixel[2] = 128
                        pixel[3] = 255
                    }
                }
            }
        } catch {
            preconditionFailure("a test image of \(size) cannot be made: \(error)")
        }
    }

    package static func jpeg(width: Int = 64, height: Int = 48) -> Data {
        encoded(bitmap(width: width, height: height), .jpeg)
    }

    package static func png(width: Int = 64, height: Int = 48) -> Data {
        encoded(bitmap(width: width, height: height), .png)
    }

    private static func encoded(_ bitmap: Bitmap, _ format: FileFormat) -> Data {
        do {
            return try Codecs.encode(bitmap, as: format)
        } catch {
            preconditionFailure("a test image cannot be encoded: \(error)")
        }
    }
}

extension TestImage {
    /// Three frames of 8 × 6 pixels, red, green and blue, shown for 100, 200 and 0 ms.
    package static let gif = data(
        """
        R0lGODlhCAAGAIEAAP8AAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAACAAGAAAI
        DgABCBxIsKDBgwgTDgwIACH5BAEUAAEALAAAAAAIAAYAgQD/AAAAAAAAAAAAAAgOAAEIHEiwoMGDCBMODAgA
        IfkEAQAAAQAsAAAAAAgABgCBAAD/AAAAAAAAAAAACA4AAQgcSLCgwYMIEw4MCAA7
        """
    )

    /// One red frame of 8 × 6 pixels.
    package static let stillGIF = data(
        "R0lGODdhCAAGAIEAAP8AAAAAAAAAAAAAACwAAAAACAAGAAAIDgABCBxIsKDBgwgTDgwIADs="
    )

    private static func data(_ base64: String) -> Data {
        guard let data = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) else {
            preconditionFailure("a test image is not valid base64")
        }
        return data
    }
}

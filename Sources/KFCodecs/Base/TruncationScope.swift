import KFPixels
import Synchronization

/// Makes one task decode truncated still images as far as their files go.
///
/// Applies to everything that `run` calls on its own thread. Task-local, because a user's processor
/// or serializer may stand between the load and the decoder. Missing pixels are grey if the format
/// has no transparency, and transparent otherwise.
package final class TruncationScope: Sendable {
    @TaskLocal private static var current: TruncationScope?

    private let found = Atomic(false)

    package init() {}

    /// Whether a file ended early.
    package var foundTruncated: Bool { found.load(ordering: .relaxed) }

    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    /// Whether truncated files are decoded.
    package static var isActive: Bool { current != nil }

    /// Records that a file ended early, and makes its missing pixels grey.
    static func accept(_ image: DecodedImage) throws(CodecError) -> DecodedImage {
        guard let current, image.isPartial else { return image }
        current.found.store(true, ordering: .relaxed)
        guard !image.info.hasAlpha else { return image }
        var image = image
        image.bitmap = try CodecError.wrapping { () throws(PixelError) in
            try image.bitmap.onGrey()
        }
        return image
    }
}

extension Bitmap {
    /// The bitmap in front of the grey that JPEG decoders show for missing blocks.
    fileprivate func onGrey() throws(PixelError) -> Bitmap {
        try Bitmap(size: size, isOpaque: true) { target, stride in
            for y in 0..<height {
                let source = (UnsafeRawPointer(storage.base) + y * bytesPerRow)
                    .assumingMemoryBound(to: UInt8.self)
                let row = target + y * stride
                for x in 0..<width * Bitmap.bytesPerPixel where x % 4 < 3 {
                    let missing = 255 - Int(source[x | 3])
                    row[x] = UInt8(min(255, Int(source[x]) + (missing * 128 + 127) / 255))
                }
                for x in 0..<width { row[x * 4 + 3] = 255 }
            }
        }
    }
}

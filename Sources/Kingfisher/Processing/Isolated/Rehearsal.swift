import Codecs
import Foundation
import Pixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Uses what codecs and processors load and open on first use, before a worker may open nothing.
///
/// Found by running every fixture under strace: `IsolatedDecodingTests` fails when something is
/// missing here.
enum Rehearsal {
    static func run() {
        // lcms2 asks for the date, for which the C library reads /etc/localtime once.
        var now = time(nil)
        _ = localtime(&now)
        // libcrypto reads its configuration, for the name of a watermark.
        _ = SHA256.hash([UInt8]())
        guard let bitmap = try? picture() else { return }
        for format in [FileFormat.jpeg, .png, .gif, .webp] {
            // A format that cannot be written here does without.
            guard let file = try? Codecs.encode(bitmap, as: format) else { continue }
            decode(file)
        }
    }

    private static func picture() throws(PixelError) -> Bitmap {
        try Bitmap(
            size: PixelSize(width: 2, height: 2),
            isOpaque: true,
            filling: { pixels, _ in
                pixels.update(repeating: 255, count: 16)
            }
        )
    }

    private static func decode(_ file: Data) {
        let options = KingfisherParsedOptionsInfo(nil)
        let size = CGSize(width: 1, height: 1)
        _ = DownsamplingImageProcessor(size: size).process(item: .data(file), options: options)
        _ = DefaultImageProcessor.default.process(item: .data(file), options: options)
    }
}

import Codecs
import Foundation
import Pixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Makes codecs and processors load and open their files before a worker may open none.
///
/// Found by running every fixture under strace: `IsolatedDecodingTests` and, for the formats behind
/// package traits, `Scripts/walls.sh` fail when something is missing here.
enum Rehearsal {
    static func run() {
        Codecs.startNoThreads()
        // lcms2 asks for the date, for which the C library reads /etc/localtime once.
        var now = time(nil)
        _ = localtime(&now)
        // libcrypto reads its configuration, for the name of a watermark.
        _ = SHA256.hash([UInt8]())
        // The C library reads the size of memory when it first sorts, which libtiff does.
        var bytes = [UInt8](repeating: 0, count: 4096)
        qsort(&bytes, bytes.count, 1) { one, other in
            guard let one, let other else { return 0 }
            return memcmp(one, other, 1)
        }
        // librsvg loads the aliases of locales; a build without it refuses the drawing.
        decode(Data(drawing.utf8))
        guard let bitmap = try? picture() else { return }
        for format in [FileFormat.jpeg, .png, .gif, .webp] {
            // A format that cannot be written here does without.
            guard let file = try? Codecs.encode(bitmap, as: format) else { continue }
            decode(file)
        }
    }

    private static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="1" height="1"/></svg>
        """

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

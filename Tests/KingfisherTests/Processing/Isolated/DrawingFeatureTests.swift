import Foundation
import TestSupport
import Testing

@testable import KFCodecs
@testable import Kingfisher

/// Features of drawings that once needed a system call that workers do not have.
///
/// `Scripts/walls.sh` draws a hundred more, and compares their pixels.
@Suite(
    .enabled(if: WorkerBench.isPossible && OptionalFormat(.svg)?.isAvailable == true),
    .timeLimit(.minutes(5))
)
struct DrawingFeatureTests {
    private static let bitmap = TestImage.png().base64EncodedString()

    private static let features: [String] = [
        #"<image width="9" height="9" href="data:image/png;base64,\#(bitmap)"/>"#,
        #"<image width="9" height="9" href="data:;base64,\#(bitmap)"/>"#,
        """
        <image width="9" height="9" \
        href="data:image/jpeg;base64,\(TestImage.jpeg().base64EncodedString())"/>
        """,
        """
        <image width="9" height="9" \
        href="data:image/gif;base64,\((try? Codecs.encode(TestImage.bitmap(), as: .gif))?.base64EncodedString() ?? "")"/>
        """,
        """
        <filter id="f"><feGaussianBlur stdDeviation="4"/></filter>\
        <rect width="30" height="20" filter="url(#f)"/>
        """,
        """
        <filter id="f"><feSpecularLighting><fePointLight x="9" y="9" z="9"/></feSpecularLighting></filter>\
        <rect width="30" height="20" filter="url(#f)"/>
        """,
        #"<text y="15">สวัสดีชาวโลก</text>"#,
        #"<text y="15" xml:lang="ja">直</text>"#,
    ]

    @Test func `DOC-12: bitmaps, filters and languages are drawn by one worker`() async throws {
        let pool = WorkerBench.pool()
        for feature in Self.features {
            let file = """
                <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">\(feature)</svg>
                """
            let bitmap = try await WorkerBench.image(of: Data(file.utf8), on: pool).bitmap
            let here = try Data(file.utf8).withUnsafeBytes { bytes in
                try OptionalDecoder(bytes: bytes, options: DecodeOptions()).decode().bitmap
            }
            #expect(bitmap == here, "\(feature.prefix(60))")
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }
}

// Made from Sources/Kingfisher/Kingfisher.docc/GTK.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import Kingfisher
import KingfisherGTK

/// A GdkTexture for a print of at most 100 × 150 mm at 300 dots per inch.
@MainActor
func makePrint(_ url: URL) async throws -> OpaquePointer? {
    let paper = DownsamplingImageProcessor(size: CGSize(width: 1_181, height: 1_772))
    let result = try await KingfisherManager.shared.retrieveImage(
        with: url,
        options: [.processor(paper)]
    )
    return result.image.kf.makeTexture()
}
#endif

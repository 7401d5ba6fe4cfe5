import Foundation
import Kingfisher

/// A size and processing that the demonstration requests for every image.
struct DemoVariant: Sendable {
    /// Its purpose in one word.
    let name: String
    /// Its processing in a few words.
    let detail: String
    let processor: any ImageProcessor
    /// Its area on the contact sheet in pixels.
    let room: (width: Int, height: Int)

    /// The variants of a typical app: list, grid and detail page.
    static let all: [DemoVariant] = [
        DemoVariant(
            name: "thumbnail",
            detail: "downsampled to 120×120",
            processor: DownsamplingImageProcessor(size: CGSize(width: 120, height: 120)),
            room: (120, 120)
        ),
        DemoVariant(
            name: "card",
            detail: "resized to fit 320×240",
            processor: DownsamplingImageProcessor(size: CGSize(width: 640, height: 640))
                |> ResizingImageProcessor(
                    referenceSize: CGSize(width: 320, height: 240),
                    mode: .aspectFit
                ),
            room: (320, 240)
        ),
        DemoVariant(
            name: "rounded",
            detail: "fit 240×240, round corners",
            processor: DownsamplingImageProcessor(size: CGSize(width: 480, height: 480))
                |> ResizingImageProcessor(
                    referenceSize: CGSize(width: 240, height: 240),
                    mode: .aspectFit
                )
                |> RoundCornerImageProcessor(cornerRadius: 36),
            room: (240, 240)
        ),
    ]
}

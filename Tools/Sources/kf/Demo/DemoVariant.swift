import Foundation
import Kingfisher

/// One way in which the demonstration asks for every picture.
struct DemoVariant: Sendable {
    /// What it is for, in a word.
    let name: String
    /// What is asked for, in a few.
    let detail: String
    let processor: any ImageProcessor
    /// The room it takes on the contact sheet, in pixels.
    let room: (width: Int, height: Int)

    /// As an app with a list, a grid and a detail page would.
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

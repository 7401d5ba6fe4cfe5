import Foundation
import Kingfisher

/// A processed and encoded image.
struct RenderedImage: Sendable {
    /// The encoded file.
    var data: Data
    /// Its format.
    var format: ImageFormat
    /// The width and height in pixels.
    var width: Int
    var height: Int
    /// The factor by which the result differs from the size without `dpr`.
    var dpr: Double
    /// The quality of a lossy format; nil for others, and for a source that is passed on.
    var quality: Int?
    /// Whether the file is the source itself.
    var isSource = false
    /// Whether the source ended early.
    var isTruncated = false
    /// The time spent in each stage.
    var times = RenderTimes()

    /// Makes a result.
    init(data: Data, format: ImageFormat, width: Int, height: Int, dpr: Double = 1) {
        self.data = data
        self.format = format
        self.width = width
        self.height = height
        self.dpr = dpr
    }
}

/// The time spent in each stage of rendering.
struct RenderTimes: Sendable, Hashable {
    /// Decoding and processing, with the wait for memory and a thread.
    var process: Duration = .zero
    /// Encoding, all attempts together.
    var encode: Duration = .zero
}

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

    /// Makes a result.
    init(data: Data, format: ImageFormat, width: Int, height: Int, dpr: Double = 1) {
        self.data = data
        self.format = format
        self.width = width
        self.height = height
        self.dpr = dpr
    }
}

import Foundation

/// An estimate of the work for a result, for the order of the queue only: a file may lie about it.
///
/// The unit is a pixel that a JPEG of one scan is decoded to. The weights are rounded from the times
/// that the codecs take for a pixel.
enum WorkSize {
    /// The most work that counts as small: some ten milliseconds.
    static let small = 6_000_000

    /// Whether the work for a request is small.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - source: The bytes of its source.
    /// - Returns: False also for formats whose header is not looked at, and for results of which
    ///   several are encoded.
    static func isSmall(_ request: NegotiatedRequest, _ source: Data) -> Bool {
        let options = request.request.options
        guard request.request.kind == .image, let picture = PictureSize(of: source),
            options.maximalBytes == nil, options.autoQuality == nil, !options.wantsBest
        else { return false }
        let outcome = request.outcome(
            for: picture.format,
            hasTransparency: false,
            isAnimated: false
        )
        guard case .encode(let format) = outcome else { return true }
        let encoding = result(of: picture, options) * weight(of: format)
        return Double(picture.pixelCount) * picture.weight + encoding <= Double(small)
    }

    /// The pixels of the result: at most those of the box that is asked for.
    private static func result(of picture: PictureSize, _ options: ProcessingOptions) -> Double {
        let (width, height) = (Double(picture.width), Double(picture.height))
        let factor = max(options.dpr ?? 1, 1) * max(options.zoomX, options.zoomY, 1)
        let across = options.width > 0 ? Double(options.width) * factor : nil
        let down = options.height > 0 ? Double(options.height) * factor : nil
        let ratio = width / height
        return switch (across, down) {
        case (let across?, let down?): across * down
        case (let across?, nil): across * across / ratio
        case (nil, let down?): down * down * ratio
        case (nil, nil): width * height * factor * factor
        }
    }

    private static func weight(of format: OutputFormat) -> Double {
        switch format {
        case .jpeg: 3
        case .png, .gif: 8
        case .webp: 8
        case .avif, .jxl: 30
        }
    }
}

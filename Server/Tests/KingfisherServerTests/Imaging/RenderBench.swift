import Foundation
import Testing

@testable import Kingfisher

@testable import KingfisherServer

/// Renders in this process.
struct RenderBench {
    let renderer: ImageRenderer

    init(_ settings: RendererSettings = RendererSettings()) throws {
        var settings = settings
        // The test program cannot be a worker.
        settings.isIsolated = false
        renderer = ImageRenderer(settings: settings)
    }

    /// Renders to PNG unless another format is given.
    func render(
        _ source: Data,
        as format: OutputFormat = .png,
        watermark: Data? = nil,
        _ change: (inout ProcessingOptions) -> Void
    ) async throws -> Rendered {
        var options = ProcessingOptions()
        change(&options)
        let result = try await renderer.render(
            source,
            options: options,
            watermark: watermark
        ) { _, _ throws(ServiceError) in format }
        return try Rendered(result)
    }

    /// The error of a rendering that fails.
    func failure(
        _ source: Data,
        as format: OutputFormat = .png,
        _ change: (inout ProcessingOptions) -> Void
    ) async throws -> ServiceError {
        do {
            _ = try await render(source, as: format, change)
        } catch let error as ServiceError {
            return error
        }
        throw ServiceError(200, "It did not fail", "Let it fail")
    }
}

/// A result with its pixels.
struct Rendered {
    let result: RenderedImage
    let image: KFCrossPlatformImage

    init(_ result: RenderedImage) throws {
        self.result = result
        image = try #require(KFCrossPlatformImage(data: result.data))
        #expect(result.data.kf.imageFormat == result.format)
        #expect((image.pixelWidth, image.pixelHeight) == (result.width, result.height))
    }

    var size: [Int] { [result.width, result.height] }

    /// The premultiplied channels of a pixel.
    func pixel(_ x: Int, _ y: Int) -> [Int] { image.pixel(x, y) }

    /// The colours in the middle of the four quarters, row by row.
    var quarters: String {
        [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            name(pixel(result.width * x / 4, result.height * y / 4))
        }.joined()
    }

    /// The letter of the colour at a share of the sides.
    func colour(_ x: Double, _ y: Double) -> String {
        name(
            pixel(
                min(result.width - 1, Int(x * Double(result.width))),
                min(result.height - 1, Int(y * Double(result.height)))
            )
        )
    }

    private func name(_ pixel: [Int]) -> String {
        let known: [(String, [Int])] = [
            ("r", [255, 0, 0, 255]), ("g", [0, 255, 0, 255]), ("b", [0, 0, 255, 255]),
            ("w", [255, 255, 255, 255]), ("k", [0, 0, 0, 255]), ("-", [0, 0, 0, 0]),
            ("y", [255, 255, 0, 255]),
        ]
        return known.first { zip($0.1, pixel).allSatisfy { abs($0 - $1) < 40 } }?.0 ?? "?"
    }
}

extension KFCrossPlatformImage {
    /// The premultiplied channels of a pixel.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        withPremultipliedRGBA { pixels, stride in
            (0..<4).map { Int(pixels[y * stride + x * 4 + $0]) }
        }
    }
}

/// Files with known pixels.
enum TestPicture {
    /// Red, green above blue, white.
    static func quarters(_ width: Int, _ height: Int) -> KFCrossPlatformImage {
        image(width, height) { x, y in
            switch (2 * x < width, 2 * y < height) {
            case (true, true): [255, 0, 0, 255]
            case (false, true): [0, 255, 0, 255]
            case (true, false): [0, 0, 255, 255]
            case (false, false): [255, 255, 255, 255]
            }
        }
    }

    static func quartersPNG(_ width: Int, _ height: Int) throws -> Data {
        try #require(quarters(width, height).pngData())
    }

    /// An SVG file of 24 × 24 pixels: red on the left, blue on the right.
    static let drawing = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" shape-rendering="crispEdges">\
        <path fill="#f00" d="M0 0h12v24H0z"/><path fill="#00f" d="M12 0h12v24H12z"/></svg>
        """.utf8
    )

    /// Whether librsvg is installed.
    ///
    /// Drawings are read in worker processes only; the program of the service can be one.
    static let readsDrawings: Bool = {
        ProcessIsolation.useProgram(at: ServeProgram.file.path)
        return (try? ImageFileInfo(data: drawing)) != nil
    }()

    /// A soft pattern with detail, which encoders have to work on.
    static func photo(_ width: Int, _ height: Int) -> KFCrossPlatformImage {
        image(width, height) { x, y in
            let wave = sin(Double(x) / 7) * cos(Double(y) / 5) * 60
            let grain = Double((x &* 7919 &+ y &* 104_729) % 41) - 20
            let base = 128 + wave + grain
            let red = UInt8(max(0, min(255, base + Double(x * 60 / width))))
            return [red, UInt8(max(0, min(255, base))), UInt8(y * 255 / height), 255]
        }
    }

    /// The quarters as a JPEG stored with an EXIF orientation, so that it is upright when shown.
    static func oriented(_ orientation: Int, _ width: Int, _ height: Int) throws -> Data {
        try oriented(orientation, of: quarters(width, height))
    }

    /// An image as a JPEG stored with an EXIF orientation, so that it is upright when shown.
    static func oriented(_ orientation: Int, of shown: KFCrossPlatformImage) throws -> Data {
        let (width, height) = (shown.pixelWidth, shown.pixelHeight)
        let swaps = orientation > 4
        // Where the first row and column of the stored image are shown: EXIF 2.32, 4.6.4.
        let stored = image(swaps ? height : width, swaps ? width : height) { column, row in
            let (x, y) =
                switch orientation {
                case 2: (width - 1 - column, row)
                case 3: (width - 1 - column, height - 1 - row)
                case 4: (column, height - 1 - row)
                case 5: (row, column)
                case 6: (width - 1 - row, column)
                case 7: (width - 1 - row, height - 1 - column)
                case 8: (row, height - 1 - column)
                default: (column, row)
                }
            return shown.pixel(x, y).map { UInt8($0) }
        }
        var file = try #require(stored.jpegData(compressionQuality: 0.95))
        let exif: [UInt8] =
            [0xFF, 0xE1, 0, 34] + Array("Exif".utf8) + [0, 0]
            + Array("II".utf8) + [42, 0, 8, 0, 0, 0]
            + [1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation), 0, 0, 0] + [0, 0, 0, 0]
        file.insert(contentsOf: exif, at: 2)
        return file
    }

    static func image(
        _ width: Int,
        _ height: Int,
        _ pixel: (Int, Int) -> [UInt8]
    ) -> KFCrossPlatformImage {
        var pixels = Data(capacity: width * height * 4)
        for y in 0..<height { for x in 0..<width { pixels.append(contentsOf: pixel(x, y)) } }
        let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: width, height: height)
        return image ?? KFCrossPlatformImage()
    }
}

import DemoKit
import Foundation
import Kingfisher

/// The images of the gallery and the server that paints them on demand.
struct Pictures {
    static let count = 10_000
    private let server: PictureServer

    /// Starts the server.
    init() throws {
        server = try PictureServer { path in
            let words = path.split(separator: "/").map(String.init)
            guard words.count == 2, let number = Int(words[1].prefix { $0 != "." }) else {
                return nil
            }
            return Self.answer(words[0], number)
        }
    }

    /// The name of an image for readers.
    static func name(of number: Int) -> String { "Landscape \(number)" }

    /// An image for the grid, 360 × 270 pixels.
    func small(_ number: Int) -> URL { server.url("/small/\(number).jpg") }

    /// The same image, 1600 × 1200 pixels.
    func large(_ number: Int) -> URL { server.url("/large/\(number).jpg") }

    /// The same image in the course of a day, 240 × 180 pixels.
    func animated(_ number: Int) -> URL { server.url("/animated/\(number).png") }

    /// A file that the server does not have.
    var missing: URL { server.url("/missing/1.jpg") }

    /// The ThumbHash of an image, which an app would get with the image's URL.
    func thumbHash(_ number: Int) -> Data {
        Photographs.painted(number, width: 40, height: 30).image?.kf.thumbHash() ?? Data()
    }

    nonisolated private static func answer(_ kind: String, _ number: Int) -> PictureServer.Answer? {
        switch kind {
        case "small": return jpeg(number, width: 360, height: 270)
        case "large": return jpeg(number, width: 1600, height: 1200)
        case "animated":
            let file = animation(number, width: 240, height: 180, delay: 100)
            return .init(type: "image/png", body: file)
        default: return nil
        }
    }

    nonisolated static func jpeg(
        _ number: Int,
        width: Int,
        height: Int
    ) -> PictureServer.Answer? {
        Photographs.painted(number, width: width, height: height).image?
            .kf.jpegRepresentation(compressionQuality: 0.85)
            .map { .init(type: "image/jpeg", body: $0) }
    }

    /// An animated PNG whose frames are shown for `delay` milliseconds each.
    nonisolated static func animation(
        _ number: Int,
        width: Int,
        height: Int,
        delay: UInt16
    ) -> Data {
        let count = 16
        let frames = (0..<count).map { index in
            let hour = Float(index) / Float(count)
            let frame = Photographs.painted(number, width: width, height: height, hour: hour)
            return frame.image?.kf.pngRepresentation() ?? Data()
        }
        return AnimationWriter.file(frames: frames, delay: delay)
    }
}

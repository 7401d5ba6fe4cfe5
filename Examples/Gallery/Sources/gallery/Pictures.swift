import Foundation

/// The images of the gallery and the server that paints them on demand.
struct Pictures {
    static let count = 10_000
    private let server: PictureServer

    /// Starts the server.
    ///
    /// `prepainted` images are painted now and served repeatedly, so that a measurement does not
    /// include the painter.
    init(prepainted: Int = 0) throws {
        let ready = (0..<prepainted).map { Self.jpeg($0, width: 360, height: 270) }
        server = try PictureServer { path in
            let words = path.split(separator: "/").map(String.init)
            guard words.count == 2, let number = Int(words[1].prefix { $0 != "." }) else {
                return nil
            }
            if words[0] == "small", !ready.isEmpty { return ready[number % ready.count] }
            return Self.answer(words[0], number)
        }
    }

    /// The number of requests to the server.
    var requestCount: Int { server.requestCount }

    /// An image for the grid, 360 × 270 pixels.
    func small(_ number: Int) -> URL { server.url("/small/\(number).jpg") }

    /// The same image, 1600 × 1200 pixels.
    func large(_ number: Int) -> URL { server.url("/large/\(number).jpg") }

    /// The same image in the course of a day, 240 × 180 pixels.
    func animated(_ number: Int) -> URL { server.url("/animated/\(number).gif") }

    nonisolated private static func answer(_ kind: String, _ number: Int) -> PictureServer.Answer? {
        switch kind {
        case "small": jpeg(number, width: 360, height: 270)
        case "large": jpeg(number, width: 1600, height: 1200)
        case "animated":
            .init(type: "image/gif", body: animation(number, width: 240, height: 180))
        default: nil
        }
    }

    nonisolated private static func jpeg(
        _ number: Int,
        width: Int,
        height: Int
    ) -> PictureServer.Answer? {
        Painter(number: number, width: width, height: height).jpeg()
            .map { .init(type: "image/jpeg", body: $0) }
    }

    nonisolated private static func animation(_ number: Int, width: Int, height: Int) -> Data {
        let painter = Painter(number: number, width: width, height: height)
        let frames = (0..<12).map { painter.pixels(time: Double($0) / 12) }
        return GIFWriter(width: width, height: height, delay: 10).file(frames: frames)
    }
}

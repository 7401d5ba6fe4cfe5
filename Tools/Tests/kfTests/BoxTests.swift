import Foundation
import Kingfisher
import Testing

/// A size with two sides is a box: whatever the shape of an image, its result is not larger.
@Suite(.timeLimit(.minutes(1)))
struct BoxTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// From nine times as high as wide to nine times as wide as high.
    private static let shapes = [(1, 9), (1, 3), (3, 4), (1, 1), (4, 3), (3, 1), (9, 1)]

    @Test(arguments: ["downsample:60x45", "resize:60x45", "resize:60x45:fit"])
    func `an image is within its box`(step: String) async throws {
        for (wide, high) in Self.shapes {
            try TestPictures.png(width: 40 * wide, height: 40 * high)
                .write(to: folder.url.appending(path: "\(wide)-\(high).png"))
        }
        let names = try folder.files()
        let outcome = try await KFProgram.run(
            ["get"] + names + ["-o", "out/", "-p", step],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        for ((wide, high), name) in Self.shapes.map({ ($0, "\($0.0)-\($0.1).png") }) {
            let size = try ImageFileInfo(data: folder.data("out/\(name)")).size
            #expect(size.width <= 60 && size.height <= 45, "\(name): \(size)")
            // As large as the box allows, and of the same shape; downsampling never enlarges.
            let most = step.hasPrefix("downsample") ? 1 : Double.infinity
            let scale = min(most, 60 / (40 * Double(wide)), 45 / (40 * Double(high)))
            #expect(abs(size.width - 40 * Double(wide) * scale) <= 1, "\(name): \(size)")
            #expect(abs(size.height - 40 * Double(high) * scale) <= 1, "\(name): \(size)")
        }
    }

    @Test func `upright images of a sheet stay in their places`() async throws {
        for name in ["a.png", "b.png"] {
            try TestPictures.solid(0, width: 100, height: 400)
                .write(to: folder.url.appending(path: name))
        }
        let outcome = try await KFProgram.run(
            [
                "sheet", "a.png", "b.png", "-o", "sheet.png", "--cell", "40x40", "--columns", "1",
                "--no-names",
            ],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let sheet = try folder.data("sheet.png")
        // The gap between the two places is paper: 12 above the first, 40 for it, then 12.
        for y in 53..<63 { #expect(try TestPictures.pixel(sheet, x: 32, y: y)[0] > 200, "\(y)") }
        #expect(try TestPictures.pixel(sheet, x: 32, y: 30)[0] < 50)
    }
}

import Foundation
import Kingfisher
import Testing

/// `kf diff` and `kf compare`.
@Suite(.timeLimit(.minutes(1)))
struct CompareTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "a.png"))
    }

    private func run(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(arguments, in: folder)
    }

    /// Writes a grey image with one pixel of another brightness.
    private func grey(_ name: String, spot: UInt8) throws {
        var bytes = Data(repeating: 100, count: 16 * 16 * 4)
        for pixel in 0..<256 { bytes[pixel * 4 + 3] = 255 }
        for channel in 0..<3 { bytes[(5 * 16 + 3) * 4 + channel] = spot }
        let image = try #require(
            KFCrossPlatformImage(premultipliedRGBA: bytes, width: 16, height: 16)
        )
        try #require(image.kf.pngRepresentation()).write(to: folder.url.appending(path: name))
    }

    @Test func `the deadline holds for each encoding`() async throws {
        let noise = try TestPictures.noise(width: 600, height: 600)
        try noise.write(to: folder.url.appending(path: "noise.png"))
        let outcome = try await run(
            "compare",
            "noise.png",
            "-p",
            "resize:5900x5900",
            "--formats",
            "avif",
            "--qualities",
            "100",
            "--timeout",
            "4"
        )
        #expect(outcome.status == 1, "\(outcome.text)")
        #expect(outcome.errors.contains("timed out after 4 s; increase --timeout"))
    }

    @Test func `an image equals itself`() async throws {
        let fields = try GetTests.fields(try await run("diff", "a.png", "a.png", "--json"))
        #expect(fields["psnr"] is NSNull)
        #expect(fields["dssim"] as? Double == 0)
        #expect(fields["differingPixels"] as? Int == 0)
    }

    @Test func `PSNR follows its definition, and the image shows where pixels differ`() async throws
    {
        try grey("a.png", spot: 100)
        try grey("b.png", spot: 110)
        let outcome = try await run("diff", "a.png", "b.png", "-o", "d.png", "--json")
        let fields = try GetTests.fields(outcome)
        // One pixel of 256 differs by 10 in each channel: the mean square error is 100 / 256.
        let wanted = 10 * log10(255 * 255 * 256.0 / 100)
        #expect(abs((fields["psnr"] as? Double ?? 0) - wanted) < 1e-9)
        #expect(fields["differingPixels"] as? Int == 1)
        #expect(fields["largestDifference"] as? Int == 10)
        let dssim = try #require(fields["dssim"] as? Double)
        #expect(dssim > 0 && dssim < 0.5)
        let drawn = try folder.data("d.png")
        #expect(try TestPictures.pixel(drawn, x: 3, y: 5) == [80, 80, 80, 255])
        #expect(try TestPictures.pixel(drawn, x: 4, y: 5) == [0, 0, 0, 255])
    }

    @Test func `a difference of alpha alone is shown, too`() async throws {
        for (name, alpha) in [("clear.png", UInt8(0)), ("black.png", 255)] {
            let pixels = Data((0..<64).flatMap { _ in [0, 0, 0, alpha] })
            let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: 8, height: 8)
            try #require(image?.kf.pngRepresentation())
                .write(to: folder.url.appending(path: name))
        }
        let outcome = try await run("diff", "clear.png", "black.png", "-o", "d.png", "--json")
        #expect(try GetTests.fields(outcome)["differingPixels"] as? Int == 64)
        let drawn = try folder.data("d.png")
        #expect(try TestPictures.pixel(drawn, x: 3, y: 5) == [255, 255, 255, 255])
    }

    @Test func `the image that cannot be read is named`() async throws {
        let photo = try TestPictures.photo()
        try photo.prefix(photo.count / 2).write(to: folder.url.appending(path: "half.jpg"))
        let outcome = try await run("diff", "a.png", "half.jpg")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("half.jpg: "), "\(outcome.errors)")
    }

    @Test func `a limit that is no number is refused`() async throws {
        #expect(try await run("diff", "a.png", "a.png", "--min-psnr", "nan").status == 64)
    }

    @Test func `sizes that differ and a low PSNR exit with 1`() async throws {
        try TestPictures.png(width: 20, height: 20).write(to: folder.url.appending(path: "s.png"))
        let sizes = try await run("diff", "a.png", "s.png")
        #expect(sizes.status == 1)
        #expect(sizes.errors.contains("64 × 48 and 20 × 20"), "\(sizes.errors)")
        try grey("b.png", spot: 0)
        try grey("c.png", spot: 255)
        let low = try await run("diff", "b.png", "c.png", "--min-psnr", "40", "--quiet")
        #expect(low.status == 1)
        #expect(low.errors.contains("--min-psnr 40"), "\(low.errors)")
        #expect(try await run("diff", "b.png", "c.png", "--min-psnr", "10").status == 0)
        #expect(try await run("diff", "b.png").status == 64)
    }

    @Test func `the table has a row for each format and quality`() async throws {
        try TestPictures.photo().write(to: folder.url.appending(path: "p.jpg"))
        let outcome = try await run(
            "compare",
            "p.jpg",
            "--formats",
            "jpg,webp,png",
            "--qualities",
            "30,90",
            "--json"
        )
        let rows = try #require(try GetTests.fields(outcome)["rows"] as? [[String: Any]])
        #expect(rows.map { $0["format"] as? String } == ["jpeg", "jpeg", "webp", "webp", "png"])
        let bytes = rows.compactMap { $0["bytes"] as? Int }
        #expect(bytes[0] < bytes[1] && bytes[2] < bytes[3])
        let losses = rows.compactMap { $0["dssim"] as? Double }
        #expect(losses[0] > losses[1])
        #expect(losses[4] == 0)
        #expect(try await run("compare", "p.jpg", "--qualities", "101").status == 64)
        let text = try await run("compare", "p.jpg", "--formats", "png").text
        #expect(text.contains("equal"), "\(text)")
    }
}

import Foundation
import Kingfisher
import Testing

/// The files that `kf get` and `kf convert` encode.
@Suite(.timeLimit(.minutes(1)))
struct EncodingTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "b.png"))
    }

    private func kf(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(arguments, in: folder)
    }

    @Test func `results have at most the wanted size`() async throws {
        for format in ["jpeg", "webp", "avif"] {
            let outcome = try await kf(
                "get",
                "b.png",
                "-o",
                "small.\(format)",
                "--target-size",
                "2kB"
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let count = try folder.data("small.\(format)").count
            // A drawing of few colours is a lossless WebP of some 50 bytes.
            #expect((20...2000).contains(count), "\(format): \(count)")
        }
        let tiny = try await kf("get", "b.png", "-o", "tiny.jpg", "--target-size", "10")
        #expect(tiny.status == 1)
        #expect(tiny.errors.contains("the smallest file has"))
        let wrong = try await kf("get", "b.png", "-o", "b2.png", "--target-size", "1k")
        #expect(wrong.errors.contains("lossy"))
    }

    @Test(arguments: [
        ("get long.png -o out.webp", "2 × 16384 pixels, and no side may have more than 16383"),
        ("compare long.png --formats webp", "2 × 16384 pixels, and no side may have more than"),
        ("srcset long.png -o out --formats webp", "2 × 16384 pixels, and no side may have more"),
        ("animate long.png long.png -o out.webp", "2 × 16384 pixels, and no side may have more"),
        ("get b.png -p resize:6000x6000:none -o out.avif", "6000 × 6000 pixels, and 35651584 in"),
    ])
    func `the error of an image that is too large for a format says so`(
        line: String,
        reason: String
    ) async throws {
        try TestPictures.solid(9, width: 2, height: 16_384)
            .write(to: folder.url.appending(path: "long.png"))
        let outcome = try await KFProgram.run(
            line.split(separator: " ").map(String.init),
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(outcome.errors.contains("choose another format, or a smaller size"))
    }

    @Test func `the wanted size includes the metadata that is kept`() async throws {
        let packet = """
            http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
            xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
            xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li \
            xml:lang="x-default">\(String(repeating: "word ", count: 3000))</rdf:li></rdf:Alt>\
            </dc:description></rdf:Description></rdf:RDF></x:xmpmeta>
            """
        let count = packet.utf8.count + 2
        let segment = [0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 0xFF)] + Array(packet.utf8)
        let photo = try TestPictures.photo()
        try (photo.prefix(2) + segment + photo.dropFirst(2))
            .write(to: folder.url.appending(path: "in.jpg"))
        let get = ["get", "in.jpg", "-p", "resize:100x", "-o", "out.jpg", "--keep", "xmp"]
        let outcome = try await KFProgram.run(get + ["--target-size", "18kB"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let file = try folder.data("out.jpg")
        #expect(file.count <= 18_000, "\(file.count)")
        #expect(file.contains("word word"))
        let small = try await KFProgram.run(get + ["--target-size", "9kB"], in: folder)
        #expect(small.status == 1)
        #expect(small.errors.contains("or leave --keep out"), "\(small.errors)")
    }

    @Test(arguments: [[], ["--isolate"]])
    func `a truncated file is accepted on request alone, and completed`(
        isolation: [String]
    ) async throws {
        let file = try TestPictures.jpeg()
        try file.prefix(file.count * 3 / 4).write(to: folder.url.appending(path: "half.jpg"))
        let get = ["get", "half.jpg", "-o", "whole.jpg", "--json"] + isolation
        let refused = try await KFProgram.run(get, in: folder)
        #expect(refused.status == 1)
        let accepted = try await KFProgram.run(get + ["--accept-truncated"], in: folder)
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(accepted.errors.contains("the file ends early"))
        #expect(try GetTests.fields(accepted)["truncated"] as? Bool == true)
        #expect(KFCrossPlatformImage(data: try folder.data("whole.jpg")) != nil)
    }

    @Test func `every pixel is kept on request, where the format can`() async throws {
        let source = try #require(KFCrossPlatformImage(data: folder.data("b.png")))
        for format in ["webp", "avif", "png"] {
            let outcome = try await kf("get", "b.png", "-o", "exact.\(format)", "--lossless")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let image = try #require(KFCrossPlatformImage(data: folder.data("exact.\(format)")))
            #expect(image.pngData() == source.pngData(), "\(format)")
        }
        let jpeg = try await kf("get", "b.png", "-o", "exact.jpg", "--lossless")
        #expect(jpeg.status == 1)
        #expect(jpeg.errors.contains("choose png, webp, avif or jxl"))
        let both = try await kf("get", "b.png", "-o", "b.webp", "--lossless", "--quality", "80")
        #expect(both.status != 0)
        #expect(both.errors.contains("leave --quality"))
    }

    @Test func `JPEGs are progressive unless one scan is asked for`() async throws {
        _ = try await kf("get", "b.png", "-o", "p.jpg")
        _ = try await kf("get", "b.png", "-o", "q.jpg", "--baseline")
        #expect(try ImageFileInfo(data: folder.data("p.jpg")).isProgressive)
        #expect(try !ImageFileInfo(data: folder.data("q.jpg")).isProgressive)
    }

    /// A GIF that shows two images in turn.
    private func longAnimation(_ count: Int) throws -> Data {
        let images = try [(600, 400), (400, 600)].map { width, height in
            let image = try TestPictures.twoColours(width: width, height: height)
            return try #require(ImageEncoding.gif.data(of: image))
        }
        // The header, and the table of colours for all frames.
        let start = 13 + (3 << (Int(images[0][10] & 7) + 1))
        return images[0].prefix(start)
            + (0..<count).reduce(into: Data()) { $0 += images[$1 % 2][start...].dropLast() } + [
                0x3B
            ]
    }

    @Test func `the deadline of a load holds while its result is encoded`() async throws {
        // 3000 changing frames take WebP's encoder more than a minute.
        try longAnimation(3000).write(to: folder.url.appending(path: "long.gif"))
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = try await kf("get", "long.gif", "-o", "x.webp", "--timeout", "2")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("timed out after 2 s"))
        // Starting the program may take seconds while other tests run.
        #expect(start.duration(to: clock.now) < .seconds(45))
    }
}

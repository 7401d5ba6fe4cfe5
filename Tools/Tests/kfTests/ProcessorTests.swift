import Foundation
import Kingfisher
import Testing

/// The effects of the processors of `kf get` on an image with a red left and a blue right half.
@Suite(.timeLimit(.minutes(1)))
struct ProcessorTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png(width: 64, height: 48).write(to: folder.url.appending(path: "in.png"))
    }

    /// Processes the image and returns the result.
    private func run(_ specs: String...) async throws -> Data {
        let steps = specs.flatMap { ["--processor", $0] }
        let arguments = ["get", "in.png", "--cache", "cache", "-o", "out.png"] + steps
        let outcome = try await KFProgram.run(arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try folder.data("out.png")
    }

    @Test(arguments: [(1, 300), (1000, 2), (1, 10_000)])
    func `no side of a narrow image becomes less than a pixel`(
        width: Int,
        height: Int
    ) async throws {
        let whole = [("smartcrop:100x100", 100, 100), ("resize:100x100:none", 100, 100)]
        let isTall = height > width
        let fitted = [("resize:100x100", isTall ? 1 : 100, isTall ? 100 : 1)]
        try TestPictures.solid(200, width: width, height: height)
            .write(to: folder.url.appending(path: "in.png"))
        for (spec, width, height) in whole + fitted {
            let info = try ImageFileInfo(data: try await run(spec))
            #expect(info.size == CGSize(width: width, height: height), "\(spec)")
        }
        let filled = try ImageFileInfo(data: try await run("resize:100x100:fill"))
        #expect(min(filled.size.width, filled.size.height) == 100)
    }

    @Test(arguments: ["blur:0", "sharpen:1:0"])
    func `a radius of 0 changes nothing`(spec: String) async throws {
        let image = try #require(KFCrossPlatformImage(data: try await run(spec)))
        let source = KFCrossPlatformImage(data: try folder.data("in.png"))
        #expect(image.pngData() == source?.pngData())
    }

    @Test func `a crop takes the part at its anchor`() async throws {
        let left = try await run("crop:10x10@0,0.5")
        #expect(try GetTests.isRed(TestPictures.pixel(left, x: 9, y: 9)))
        let right = try await run("crop:10x10@1,0.5")
        #expect(try GetTests.isBlue(TestPictures.pixel(right, x: 0, y: 0)))
    }

    @Test func `a percentage rounds by the width, over a colour`() async throws {
        let round = try await run("round:25%:#00ff00")
        #expect(try TestPictures.pixel(round, x: 0, y: 0) == [0, 255, 0, 255])
        #expect(try GetTests.isRed(TestPictures.pixel(round, x: 8, y: 8)))
    }

    @Test(arguments: ["#00ff00", "#0F0", "#00ff00ff", "lime", "Lime"])
    func `a background shows through transparent parts only`(colour: String) async throws {
        let round = try await run("round:50%", "background:\(colour)")
        #expect(try TestPictures.pixel(round, x: 0, y: 0) == [0, 255, 0, 255])
        #expect(try GetTests.isRed(TestPictures.pixel(round, x: 20, y: 24)))
    }

    @Test(arguments: ["mark.png", "mark@2x.png"])
    func `a watermark lies at its place, whatever its file is called`(name: String) async throws {
        let bytes = Data(repeating: 255, count: 8 * 8 * 4)
        let white = try #require(
            KFCrossPlatformImage(premultipliedRGBA: bytes, width: 8, height: 8)
        )
        try #require(white.kf.pngRepresentation()).write(to: folder.url.appending(path: name))
        let plain = try await run("watermark:\(name)")
        #expect(try TestPictures.pixel(plain, x: 63, y: 47) == [255, 255, 255, 255])
        let placed = try await run("watermark:\(name)@0,0:4:1")
        #expect(try TestPictures.pixel(placed, x: 4, y: 4) == [255, 255, 255, 255])
        #expect(try GetTests.isRed(TestPictures.pixel(placed, x: 3, y: 3)))
    }
}

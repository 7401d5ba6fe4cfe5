import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// `kf get` of animations.
@Suite(.timeLimit(.minutes(1)))
struct AnimationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let pictures: [ScriptedPicture] = [
            .solid(.red, width: 40, height: 30), .solid(.blue, width: 40, height: 30),
        ]
        let animation = ScriptedAnimation(pictures, secondsEach: 0.2).image
        for (format, name) in [(ImageFormat.GIF, "in.gif"), (.WebP, "in.webp")] {
            let data = try #require(animation.kf.animationRepresentation(format: format))
            try data.write(to: folder.url.appending(path: name))
        }
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
    }

    /// The header of the written file and the reported number of frames.
    private func get(_ arguments: String...) async throws -> (info: ImageFileInfo, told: Int?) {
        let name = try #require(arguments.last)
        let outcome = try await KFProgram.run(["get", "--json"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let told = try GetTests.fields(outcome)["frames"] as? Int
        return (try ImageFileInfo(data: try folder.data(name)), told)
    }

    @Test func `the file is of the format that its name says, with every frame`() async throws {
        for (source, output, format) in [
            ("in.webp", "out.gif", ImageFormat.GIF), ("in.gif", "out.webp", .WebP),
            ("in.gif", "same.gif", .GIF), ("in.gif", "out.avif", .AVIF),
        ] {
            let (info, told) = try await get(source, "-o", output)
            #expect(info.format == format)
            #expect(info.frameCount == 2)
            #expect(info.duration == 0.4)
            #expect(told == 2)
        }
    }

    @Test func `a format without animations keeps the first frame, and says so`() async throws {
        for arguments in [
            ["get", "in.gif", "-o", "out.png"],
            ["convert", "in.gif", "-o", "out", "--format", "jxl"],
            ["get", "in.gif", "-o", "out.png", "-p", "resize:20x"],
            ["convert", "in.webp", "-o", "out", "--format", "jpeg", "-p", "blur:1"],
        ] {
            let outcome = try await KFProgram.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("kept only the first frame"), "\(outcome.errors)")
            #expect(outcome.errors.contains("--format webp, avif or gif keeps all frames"))
            #expect(outcome.errors.contains("-frame"))
        }
        let line = try await KFProgram.run(
            ["convert", "in.gif", "-o", "out", "--format", "png", "--verbose"],
            in: folder
        )
        #expect(line.errors.contains("bytes, the first of 2 frames\n"), "\(line.errors)")
        let webp = try await KFProgram.run(
            ["convert", "in.gif", "-o", "out", "--format", "webp"],
            in: folder
        )
        #expect(webp.errors.isEmpty, "\(webp.errors)")
    }

    @Test func `steps are applied to every frame, from the cache as well`() async throws {
        for _ in 0..<2 {
            let (info, told) = try await get(
                "in.gif",
                "--processor",
                "resize:20x20",
                "--cache",
                "cache",
                "-o",
                "out.webp"
            )
            #expect(info.format == .WebP)
            #expect(info.size == CGSize(width: 20, height: 15))
            #expect(info.frameCount == 2)
            #expect(told == 2)
        }
    }

    @Test func `formats without frames get the first one, and the report says so`() async throws {
        let (info, told) = try await get("in.gif", "--processor", "blur:1", "-o", "out.png")
        #expect(info.frameCount == 1)
        #expect(told == 1)
    }

    @Test func `a still can be written as a GIF`() async throws {
        let (info, told) = try await get("in.jpg", "--processor", "resize:20x20", "-o", "out.gif")
        #expect(info.format == .GIF)
        #expect(info.frameCount == 1)
        #expect(told == 1)
    }

    @Test func `an AVIF plays as often as its source, or the difference is named`() async throws {
        let gif = try await KFProgram.run(
            ["animate", "in.jpg", "in.gif", "-o", "thrice.gif", "--loops", "3"],
            in: folder
        )
        #expect(gif.status == 0, "\(gif.errors)")
        #expect(gif.errors.isEmpty, "\(gif.errors)")
        for command in [
            ["get", "thrice.gif", "-o", "out.avif"],
            ["convert", "thrice.gif", "-o", "out", "--format", "avif"],
            ["animate", "in.jpg", "in.gif", "-o", "out.avif", "--loops", "3"],
        ] {
            let outcome = try await KFProgram.run(command, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let name = command[0] == "convert" ? "out/thrice.avif" : "out.avif"
            let isKept = try ImageFileInfo(data: folder.data(name)).loopCount == 3
            #expect(outcome.errors.contains("plays forever, not 3 times") != isKept)
        }
    }
}

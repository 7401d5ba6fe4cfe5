import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// `kf info`.
@Suite(.timeLimit(.minutes(1)))
struct InfoTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
    }

    private func run(
        _ arguments: String...,
        input: Data = Data()
    ) async throws
        -> KFProgram.Outcome
    {
        try await KFProgram.run(["info"] + arguments, in: folder, input: input)
    }

    @Test func `json has every field, known or not`() async throws {
        let outcome = try await run("in.jpg", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let fields = try GetTests.fields(outcome)
        #expect(
            Set(fields.keys) == [
                "source", "format", "width", "height", "storedWidth", "storedHeight",
                "orientation", "frames", "loops", "duration", "alpha", "progressive",
                "bitsPerChannel", "colorProfile", "bytes", "date", "latitude", "longitude",
                "camera", "status",
            ]
        )
        #expect(fields["format"] as? String == "jpeg")
        #expect(fields["width"] as? Int == 640)
        #expect(fields["height"] as? Int == 480)
        #expect(fields["frames"] as? Int == 1)
        #expect(fields["alpha"] as? Bool == false)
        #expect(fields["duration"] is NSNull)
        #expect(fields["bytes"] as? Int == (try folder.data("in.jpg")).count)
    }

    @Test func `when and with what a photograph was taken is shown`() async throws {
        let photo = TestExif.jpeg(try TestPictures.jpeg(), exif: TestExif.located)
        try photo.write(to: folder.url.appending(path: "photo.jpg"))
        let text = try await run("photo.jpg")
        #expect(text.text.contains("  taken    2024-05-06 07:08:09, TestCamera"), "\(text.text)")
        let fields = try GetTests.fields(try await run("photo.jpg", "--json"))
        #expect(fields["date"] as? String == "2024-05-06 07:08:09")
        #expect(fields["camera"] as? String == "TestCamera")
        #expect(fields["latitude"] is NSNull)
    }

    @Test func `standard input and the bytes' own kind count, not a name`() async throws {
        let outcome = try await run("-", input: try TestPictures.jpeg())
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("JPEG"))
    }

    @Test func `no size is invented for input that is not read to its end`() async throws {
        let input = try TestPictures.jpeg() + Data(count: 1 << 20)
        let script = #"cat "$1" | "$0" info - --json"#
        try input.write(to: folder.url.appending(path: "large.jpg"))
        let part = try await KFProgram.bash(script, ["large.jpg"], in: folder)
        #expect(try GetTests.fields(part)["bytes"] is NSNull, "\(part.text)")
        let text = try await KFProgram.bash(#"cat large.jpg | "$0" info -"#, in: folder)
        #expect(text.text.contains("640 × 480 pixels, JPEG\n"), "\(text.text)")
        let all = try await KFProgram.bash(script, ["in.jpg"], in: folder)
        #expect(try GetTests.fields(all)["bytes"] as? Int == (try TestPictures.jpeg()).count)
    }

    @Test func `the header is enough`() async throws {
        try Data(TestPictures.jpeg().prefix(700)).write(to: folder.url.appending(path: "part.jpg"))
        let outcome = try await run("part.jpg")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("640 × 480"))
    }

    @Test func `one bad file does not hide the others`() async throws {
        try Data("<html>".utf8).write(to: folder.url.appending(path: "page.html"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "empty"),
            withIntermediateDirectories: false
        )
        let outcome = try await run("empty", "page.html", "gone.png", "in.jpg", "--json")
        #expect(outcome.status == 1)
        #expect(outcome.text.split(separator: "\n").count == 5)
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 3)
        #expect(errors.first?.hasSuffix("there are no images in this folder") == true)
        #expect(errors.dropFirst().first?.hasSuffix("known format; check the source") == true)
        for (error, file) in zip(errors, ["empty", "page.html", "gone.png"]) {
            #expect(error.hasPrefix("kf: error: "), "\(error)")
            #expect(error.components(separatedBy: "\(file):").count == 2, "\(error)")
        }
    }

    @Test(arguments: [[], ["https://example.com/a.png"], ["in.jpg", "--size"]])
    func `wrong usage exits with 64`(arguments: [String]) async throws {
        let outcome = try await KFProgram.run(["info"] + arguments, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.isEmpty)
    }

    @Test func `a GIF that ends early is not said to be large`() async throws {
        let pictures = (0..<3).map { index in
            ScriptedPicture.solid(index == 1 ? .red : .blue, width: 300, height: 200)
        }
        let animation = ScriptedAnimation(pictures, secondsEach: 0.1).image
        let file = try #require(animation.kf.animationRepresentation(format: .GIF))
        try file.dropLast(60).write(to: folder.url.appending(path: "cut.gif"))
        let outcome = try await run("cut.gif")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.text.contains("64 MiB"), "\(outcome.text)")
    }
}

import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// How long the frames of written animations are shown.
@Suite(.timeLimit(.minutes(1)))
struct DelayTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for (name, level) in [("black.png", UInt8(0)), ("grey.png", 100)] {
            try TestPictures.solid(level, width: 40, height: 30)
                .write(to: folder.url.appending(path: name))
        }
    }

    private func kf(_ line: String) async throws -> KFProgram.Outcome {
        try await KFProgram.run(line.split(separator: " ").map(String.init), in: folder)
    }

    /// A GIF of solid frames with these delays in hundredths of a second, and some bytes too many.
    private static func gif(delays: [UInt8]) throws -> Data {
        let colors: [KFCrossPlatformColor] = [.red, .blue, .green]
        let frames = delays.indices.map { index in
            ScriptedPicture.solid(colors[index % colors.count], width: 40, height: 30)
        }
        let image = ScriptedAnimation(frames, secondsEach: 0.5).image
        var file = try #require(image.kf.animationRepresentation(format: .GIF))
        for (place, delay) in zip(places(ofDelaysIn: file), delays) {
            file[place] = delay
            file[place + 1] = 0
        }
        let loop = Data([0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0])
        let place = try #require(file.firstRange(of: loop)).lowerBound
        file.insert(contentsOf: (0..<5).flatMap { _ in loop }, at: place)
        return file
    }

    /// The delays that a GIF states, in hundredths of a second.
    private func delays(_ name: String) throws -> [Int] {
        let file = try folder.data(name)
        return Self.places(ofDelaysIn: file).map { Int(file[$0]) + Int(file[$0 + 1]) << 8 }
    }

    private static func places(ofDelaysIn file: Data) -> [Int] {
        file.indices.dropLast(8)
            .filter { file[$0...].starts(with: [0x21, 0xF9, 4]) && file[$0 + 7] == 0 }
            .map { $0 + 4 }
    }

    @Test(arguments: ["", "--strip", "--isolate"])
    func `GIF-12: optimising keeps the delays that the file states`(option: String) async throws {
        let before = try Self.gif(delays: [0, 1, 2, 7])
        try before.write(to: folder.url.appending(path: "a.gif"))
        let outcome = try await kf("optimize a.gif -o out.gif \(option)")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data("out.gif").count < before.count)
        #expect(try delays("out.gif") == [0, 1, 2, 7])
    }

    @Test func `encoding states the delays that are played`() async throws {
        try Self.gif(delays: [0, 1, 2, 7]).write(to: folder.url.appending(path: "a.gif"))
        for line in ["get a.gif -p resize:20x -o out.gif", "convert a.gif -p resize:20x -o out"] {
            let outcome = try await kf(line)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        for name in ["out.gif", "out/a.gif"] { #expect(try delays(name) == [10, 10, 2, 7]) }
    }

    @Test func `frames of animations keep their delays without another one`() async throws {
        try Self.gif(delays: [2, 30, 7]).write(to: folder.url.appending(path: "a.gif"))
        for (options, expected) in [
            ("", [2, 30, 7, 10]), ("--delay 0.2", [20, 20, 20, 20]), ("--fps 5", [20, 20, 20, 20]),
        ] {
            let outcome = try await kf("animate a.gif black.png -o out.gif \(options)")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try delays("out.gif") == expected)
        }
    }

    @Test(arguments: [("gif", ""), ("webp", "--fps 40"), ("gif", "--fps 40")])
    func `a part of a video lasts as long as it does there, though its frames repeat`(
        suffix: String,
        speed: String
    ) async throws {
        // Of five frames a second.
        try TestPictures.document("film.mp4").write(to: folder.url.appending(path: "film.mp4"))
        let line = "animate film.mp4 --from 0 --to 1 -o out.\(suffix) \(speed)"
        let outcome = try await kf(line)
        if outcome.errors.contains("not installed") { return }
        #expect(outcome.status == 0, "\(outcome.errors)")
        let info = try ImageFileInfo(data: folder.data("out.\(suffix)"))
        #expect(abs((info.duration ?? 0) - 1) < 0.03)
    }

    @Test(arguments: [("24", 100), ("30", 80), ("12", 200)])
    func `GIF-13: a GIF lasts as long as asked, though a frame has hundredths of a second`(
        fps: String,
        total: Int
    ) async throws {
        let images = Array(repeating: "black.png grey.png", count: 12).joined(separator: " ")
        let outcome = try await kf("animate \(images) -o out.gif --fps \(fps)")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(try delays("out.gif").reduce(0, +) == total)
    }

    @Test(arguments: [
        ("gif", "--fps 60", "a GIF shows each frame for 20 ms at least"),
        ("gif", "--delay 0.01", "players show frames of 10 ms or less for 100 ms"),
        ("webp", "--fps 100", "players show frames of 10 ms or less for 100 ms"),
        ("webp", "--fps 60", nil),
    ])
    func `a delay that is not played is named`(
        suffix: String,
        speed: String,
        reason: String?
    ) async throws {
        let images = "black.png grey.png black.png grey.png"
        let outcome = try await kf("animate \(images) -o out.\(suffix) \(speed)")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == reason.map { "kf: \($0); choose fewer frames a second\n" } ?? "")
        let quiet = try await kf("animate \(images) -o out.\(suffix) \(speed) --quiet")
        #expect(quiet.errors.isEmpty, "\(quiet.errors)")
        if reason != nil, suffix == "gif", speed.contains("60") {
            #expect(try delays("out.gif") == [2, 2, 2, 2])
        }
    }
}

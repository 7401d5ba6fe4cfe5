import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// Single frames of animations, and animations of images.
@Suite(.timeLimit(.minutes(1)))
struct FrameTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let pictures: [ScriptedPicture] = [
            .solid(.red, width: 40, height: 30), .solid(.blue, width: 40, height: 30),
        ]
        let animation = ScriptedAnimation(pictures, secondsEach: 0.2).image
        let data = try #require(animation.kf.animationRepresentation(format: .WebP))
        try data.write(to: folder.url.appending(path: "in.webp"))
        for (number, level) in [(1, UInt8(0)), (2, 100), (10, 200)] {
            let data = try TestPictures.solid(level, width: number == 2 ? 80 : 40, height: 30)
            try data.write(to: folder.url.appending(path: "\(number).png"))
        }
    }

    private func isBlue(_ name: String) throws -> Bool {
        let pixel = try TestPictures.pixel(try folder.data(name), x: 5, y: 5)
        return pixel[2] > 200 && pixel[0] < 50
    }

    @Test(arguments: [[], ["--isolate"]])
    func `one frame is written`(options: [String]) async throws {
        for (command, output) in [
            (["get", "in.webp", "-o", "out.png"], "out.png"),
            (["convert", "in.webp", "-o", "out", "--format", "png"], "out/in.png"),
        ] {
            let outcome = try await KFProgram.run(command + ["--frame", "2"] + options, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.isEmpty, "\(outcome.errors)")
            #expect(try isBlue(output))
        }
    }

    @Test func `steps follow the choice of the frame, and its own format holds it, too`()
        async throws
    {
        let outcome = try await KFProgram.run(
            ["get", "in.webp", "--frame", "2", "-p", "resize:20x", "-o", "out.webp"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let info = try ImageFileInfo(data: try folder.data("out.webp"))
        #expect(info.size == CGSize(width: 20, height: 15))
        #expect(info.frameCount == 1)
        #expect(try isBlue("out.webp"))
    }

    @Test(arguments: [["get", "in.webp", "-o", "x.png"], ["convert", "in.webp", "-o", "x"]])
    func `a frame that the image has not is reported`(command: [String]) async throws {
        let outcome = try await KFProgram.run(command + ["--frame", "3"], in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("there is no frame 3: the image has 2"),
            "\(outcome.errors)"
        )
    }

    @Test func `all frames are written to files of their own`() async throws {
        let outcome = try await KFProgram.run(
            ["convert", "in.webp", "1.png", "-o", "out", "--format", "png", "--all-frames"]
                + ["-p", "resize:20x", "--json"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
        #expect(names == ["1.png", "in-1.png", "in-2.png"])
        #expect(try !isBlue("out/in-1.png"))
        #expect(try isBlue("out/in-2.png"))
        for name in names {
            #expect(try ImageFileInfo(data: folder.data("out/\(name)")).size.width == 20)
        }
        #expect(outcome.text.contains(#""frames":2"#), "\(outcome.text)")
    }

    @Test func `an animation is made of files, in the order of their numbers`() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "frames"),
            withIntermediateDirectories: true
        )
        for name in ["1.png", "2.png", "10.png"] {
            try FileManager.default.moveItem(
                at: folder.url.appending(path: name),
                to: folder.url.appending(path: "frames/\(name)")
            )
        }
        for (output, speed) in [("out.gif", ["--delay", "0.2"]), ("out.webp", ["--fps", "5"])] {
            let outcome = try await KFProgram.run(
                ["animate", "frames", "-o", output, "--quality", "100"] + speed,
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let info = try ImageFileInfo(data: try folder.data(output))
            #expect(info.frameCount == 3)
            #expect(info.size == CGSize(width: 40, height: 30))
            #expect(abs((info.duration ?? 0) - 0.6) < 0.001)
            let levels = try await (1...3).asyncMap { number in
                let frame = try await KFProgram.run(
                    ["get", output, "--frame", "\(number)", "-o", "frame.png"],
                    in: folder
                )
                #expect(frame.status == 0, "\(frame.errors)")
                return try TestPictures.pixel(try folder.data("frame.png"), x: 5, y: 5)[0]
            }
            #expect(levels.map { Int($0) / 50 } == [0, 2, 4], "\(levels)")
        }
    }

    @Test(arguments: [(nil, 0), ("1", 1), ("3", 3)] as [(String?, Int)])
    func `an animation is played as often as asked`(loops: String?, count: Int) async throws {
        for output in ["out.gif", "out.webp"] {
            let outcome = try await KFProgram.run(
                ["animate", "1.png", "2.png", "-o", output]
                    + (loops.map { ["--loops", $0] } ?? []),
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try ImageFileInfo(data: try folder.data(output)).loopCount == count)
        }
    }

    @Test func `animations and parts of videos keep all their frames`() async throws {
        let made = try await KFProgram.run(
            ["animate", "1.png", "2.png", "10.png", "-o", "three.gif"],
            in: folder
        )
        #expect(made.status == 0, "\(made.errors)")
        try TestPictures.document("film.mp4").write(to: folder.url.appending(path: "film.mp4"))
        // Neighbours differ: encoders show equal ones as one that lasts longer.
        for (arguments, count) in [
            (["three.gif"], 3), (["2.png", "three.gif", "2.png"], 5),
            (["film.mp4", "--from", "0", "--to", "1", "--fps", "5"], 5),
        ] {
            let outcome = try await KFProgram.run(
                ["animate"] + arguments + ["-o", "all.webp"],
                in: folder
            )
            if outcome.errors.contains("not installed") { continue }
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try ImageFileInfo(data: folder.data("all.webp")).frameCount == count)
        }
        let mixed = try await KFProgram.run(
            ["animate", "1.png", "--from", "0", "--to", "1", "-o", "mixed.webp"],
            in: folder
        )
        #expect(mixed.status == 1)
        #expect(mixed.errors.contains("--from is for videos"), "\(mixed.errors)")
    }

    @Test func `a file that cannot be read ends the animation`() async throws {
        try Data("no image".utf8).write(to: folder.url.appending(path: "bad.png"))
        let outcome = try await KFProgram.run(
            ["animate", "1.png", "bad.png", "-o", "out.gif"],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("bad.png"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out.gif")))
        let both = try await KFProgram.run(
            ["animate", "1.png", "-o", "out.gif", "--fps", "5", "--delay", "0.2"],
            in: folder
        )
        #expect(both.status == 64 && both.errors.contains("--delay and --fps"))
        let wrong = try await KFProgram.run(["animate", "1.png", "-o", "out.png"], in: folder)
        #expect(wrong.status == 64)
    }

    @Test func `named files keep their order beside a folder, in which 2 comes before 10`()
        async throws
    {
        let frames = folder.url.appending(path: "fr")
        try FileManager.default.createDirectory(at: frames, withIntermediateDirectories: true)
        for (name, level) in [("fr/2.png", 80), ("fr/10.png", 120), ("z.png", 40), ("a.png", 160)] {
            try TestPictures.solid(UInt8(level), width: 8, height: 8)
                .write(to: folder.url.appending(path: name))
        }
        for (inputs, expected) in [
            (["z.png", "fr", "a.png"], [40, 80, 120, 160]),
            (["fr", "z.png", "--exclude", "z.png"], [80, 120]),
        ] {
            let made = try await KFProgram.run(
                ["animate"] + inputs + ["-o", "a.webp", "--quality", "100"],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
            let split = try await KFProgram.run(
                ["convert", "a.webp", "-o", "split", "--all-frames", "--format", "png"],
                in: folder
            )
            #expect(split.status == 0, "\(split.errors)")
            for (number, level) in zip(1..., expected) {
                let data = try folder.data("split/a-\(number).png")
                let found = try TestPictures.pixel(data, x: 4, y: 4)[0]
                #expect(abs(Int(found) - level) < 6, "\(inputs): \(number)")
            }
            try FileManager.default.removeItem(atPath: folder.path("split"))
        }
    }

    @Test(arguments: [
        "diff a.gif b.gif", "srcset a.gif -o web --widths 4,8 --formats webp",
        "compare a.gif --formats webp,png --qualities 80",
    ])
    func `a command that takes the first frame alone says so`(line: String) async throws {
        for (name, level) in [("1.png", 40), ("2.png", 80), ("3.png", 120)] {
            try TestPictures.solid(UInt8(level), width: 8, height: 8)
                .write(to: folder.url.appending(path: name))
        }
        for (name, second) in [("a.gif", "2.png"), ("b.gif", "3.png")] {
            let made = try await KFProgram.run(
                ["animate", "1.png", second, "-o", name],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
        }
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let note = "kf: a.gif: took the first of 2 frames"
        #expect(outcome.errors.contains(note), "\(outcome.errors)")
        if words[0] == "compare" {
            let line = ["compare", "a.gif", "--formats", "gif"]
            let moving = try await KFProgram.run(line, in: folder)
            #expect(moving.errors.isEmpty, "\(moving.errors)")
        }
        if words[0] == "srcset" {
            for width in [4, 8] {
                let file = try folder.data("web/a-\(width).webp")
                #expect(try ImageFileInfo(data: file).frameCount == 1)
            }
        }
    }
}

extension Sequence {
    /// The results of an asynchronous closure, in order.
    fileprivate func asyncMap<T>(_ change: (Element) async throws -> T) async rethrows -> [T] {
        var results: [T] = []
        for element in self { results.append(try await change(element)) }
        return results
    }
}

import Foundation
import Kingfisher
import Testing

/// `--isolate` gives the same files and errors, whatever the files do to their decoders.
///
/// `KF_DAMAGED_FILES` sets the number of damaged files to convert; 60 by default.
@Suite(.timeLimit(.minutes(10)))
struct IsolationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let count =
        ProcessInfo.processInfo.environment["KF_DAMAGED_FILES"].flatMap(Int.init) ?? 60

    @Test func `damaged files are converted apart as in the program itself`() async throws {
        let input = folder.url.appending(path: "in")
        try FileManager.default.createDirectory(at: input, withIntermediateDirectories: true)
        let originals = [try TestPictures.jpeg(), try TestPictures.png()]
        var random = Numbers(state: 42)
        for number in 0..<Self.count {
            var bytes = [UInt8](originals[number % originals.count])
            for _ in 0...(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next()
                )
            }
            if number % 5 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            try Data(bytes).write(to: input.appending(path: "\(number).bin"))
        }
        // Only some damaged files can be read, and on some releases none of them.
        for (number, whole) in originals.enumerated() {
            try whole.write(to: input.appending(path: "whole\(number).bin"))
        }
        let step = ["in/*.bin", "--format", "png", "-p", "resize:20x20"]
        let here = try await KFProgram.run(["convert"] + step + ["-o", "here"], in: folder)
        let apart = try await KFProgram.run(
            ["convert"] + step + ["-o", "apart", "--isolate"],
            in: folder
        )
        #expect(here.status == apart.status)
        #expect(!apart.errors.contains("worker process"), "\(apart.errors)")
        let names = try contents("here")
        #expect(names.count >= originals.count)
        #expect(try contents("apart") == names)
        for name in names {
            #expect(try folder.data("apart/\(name)") == folder.data("here/\(name)"), "\(name)")
        }
    }

    @Test func `one image is loaded apart`() async throws {
        try TestPictures.jpeg(width: 100, height: 50).write(to: folder.url.appending(path: "a.jpg"))
        let outcome = try await KFProgram.run(
            ["get", "a.jpg", "--isolate", "-p", "resize:50x", "-o", "b.png"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let image = try #require(KFCrossPlatformImage(data: try folder.data("b.png")))
        #expect(image.pixelWidth == 50)
    }

    @Test func `the worker's argument typed by hand says what it is for`() async throws {
        let outcome = try await KFProgram.run(["--kingfisher-worker-6"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("for processes that Kingfisher starts itself"))
    }

    @Test func `a worker that cannot be started says nothing about the file`() async throws {
        try TestPictures.jpeg(width: 10, height: 5).write(to: folder.url.appending(path: "a.jpg"))
        // No file may grow, so that there is no shared memory for the worker. The pipe is no file.
        let outcome = try await KFProgram.bash(
            "(ulimit -f 0; exec \"$0\" get a.jpg --isolate 2>&1) | cat",
            in: folder
        )
        #expect(outcome.text.contains("no worker process is available"), "\(outcome.text)")
        #expect(!outcome.text.contains("caution"), "\(outcome.text)")
    }

    @Test(arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}"])
    func `an error is one line, whatever it quotes`(_ lineBreak: String) async throws {
        let name = "no\(lineBreak)kf: all is well.jpg"
        let outcome = try await KFProgram.run(["get", name, "--isolate"], in: folder)
        #expect(outcome.status == 1)
        let lines = outcome.errors.split { $0.isNewline }
        #expect(lines.count == 1, "\(outcome.errors)")
    }

    @Test(arguments: ["show", "get"])
    func `a percentage and a fitting size are computed from the header of a worker`(
        _ command: String
    ) async throws {
        let image = try #require(
            KFCrossPlatformImage(data: try TestPictures.png(width: 40, height: 20))
        )
        let file = try #require(image.kf.data(format: .AVIF))
        try file.write(to: folder.url.appending(path: "a.avif"))
        let outcome = try await KFProgram.run(
            [command, "a.avif", "--isolate", "-p", "resize:50%", "--json"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("20"))
    }

    private func contents(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
    }
}

/// Deterministic random numbers.
private struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 17
    }
}

import Foundation
import Kingfisher
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Endless, silent and malicious inputs.
@Suite(.timeLimit(.minutes(1)))
struct HostileInputTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Creates a sparse file of 5 GB that begins with `beginning`.
    private func huge(_ name: String, beginning: Data = Data()) throws {
        try beginning.write(to: folder.url.appending(path: name))
        #expect(truncate(folder.path(name), 5_000_000_000) == 0)
    }

    @Test func `the header of a file of 5 GB is read without the rest`() async throws {
        try huge("photo.jpg", beginning: TestPictures.jpeg())
        let outcome = try await KFProgram.run(["info", "photo.jpg", "--json"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let fields = try GetTests.fields(outcome)
        #expect(fields["width"] as? Int == 640)
        #expect(fields["bytes"] as? Int == 5_000_000_000)
    }

    @Test(arguments: ["info", "placeholder", "get"])
    func `a file of 5 GB that is no image is refused`(command: String) async throws {
        try huge("zeros")
        let outcome = try await KFProgram.run([command, "zeros"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("zeros"), "\(outcome.errors)")
    }

    @Test func `an image of 5 GB is refused by its size`() async throws {
        try huge("photo.jpg", beginning: TestPictures.jpeg())
        for command in ["placeholder", "get"] {
            let outcome = try await KFProgram.run([command, "photo.jpg"], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("more than 2.0 GB"), "\(outcome.errors)")
        }
    }

    @Test(arguments: ["info", "placeholder", "get"])
    func `endless input that is no image is refused at its beginning`(command: String) async throws
    {
        let outcome = try await KFProgram.run([command, "-"], in: folder, inputPath: "/dev/zero")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("not an image of a known format"), "\(outcome.errors)")
    }

    @Test(arguments: ["info", "placeholder", "get"])
    func `a pipe without a writer is given up`(command: String) async throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let outcome = try await KFProgram.run([command, "pipe", "--timeout", "0.3"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("0.3 s"), "\(outcome.errors)")
    }

    @Test(arguments: [
        "get in.jpg -o pipe", "get in.jpg -o pipe --isolate", "icon in.jpg -o pipe",
        "trace in.jpg -o pipe", "diff in.jpg in.jpg -o pipe.png", "sheet in.jpg -o pipe.png",
        "animate in.jpg in.jpg -o pipe.gif", "optimize in.jpg -o pipe",
        "optimize pipe -o out.jpg",
    ])
    func `a pipe without another end is given up`(command: String) async throws {
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
        for name in ["pipe", "pipe.png", "pipe.gif"] {
            #expect(mkfifo(folder.path(name), 0o600) == 0)
        }
        let words = command.split(separator: " ").map(String.init) + ["--timeout", "3"]
        let outcome = try await KFProgram.run(words, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("for 3 s"), "\(outcome.errors)")
    }

    @Test func `more bytes than a pipe holds come through it`() async throws {
        let image = try TestPictures.png() + Data(repeating: 7, count: 400_000)
        try image.write(to: folder.url.appending(path: "in.png"))
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let outcome = try await KFProgram.bash(
            #""$0" get in.png -o pipe --keep all & cat pipe >copy; wait $!"#,
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data("copy") == image)
    }

    @Test func `an image comes through a pipe with a name`() async throws {
        let path = folder.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let bytes = try TestPictures.jpeg()
        // Opening the pipe blocks until it is read, for which a task has no thread to spare.
        Thread.detachNewThread {
            // A named pipe cannot be replaced by an atomic write, which may be reported as an error.
            try? bytes.write(to: URL(fileURLWithPath: path))
        }
        let outcome = try await KFProgram.run(["get", "pipe", "-o", "out.png"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(KFCrossPlatformImage(data: try folder.data("out.png"))?.pixelWidth == 640)
    }

    @Test func `control characters reach neither stream`() async throws {
        let name = "a\u{1B}]0;owned\u{07}\n\u{9B}31m.jpg"
        try TestPictures.jpeg().write(to: folder.url.appending(path: name))
        let runs = [
            ["get", name, "--cache", "cache"], ["get", name, "--cache", "cache", "--json"],
            ["info", name], ["info", name, "--json"], ["get", "gone" + name],
            ["cache", "list", "--cache", "cache"], ["cache", "list", "--cache", "cache", "--json"],
            ["cache", "path", name, "--cache", "cache"], ["cache", "path", "x" + name],
            ["get", name, "--nope" + name], ["get", "http://h" + name],
            ["get", name, "-p", "swirl" + name], ["get", name, "-p", "watermark:x" + name],
        ]
        for arguments in runs {
            let outcome = try await KFProgram.run(arguments, in: folder)
            let text = outcome.text + outcome.errors
            let bad = text.unicodeScalars.filter {
                $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value)
            }
            #expect(bad.isEmpty, "\(arguments): \(text.debugDescription)")
        }
    }

    @Test func `keys from a log with control characters are escaped in the list`() async throws {
        // A custom key, as an app that shares the folder may use.
        let cache = try ImageCache(
            name: "kf",
            cacheDirectoryURL: folder.url.appending(path: "cache"),
            diskCachePathClosure: nil
        )
        try cache.diskStorage.store(value: TestPictures.png(), forKey: "k\u{1B}[2J\u{9D}\nforged")
        let outcome = try await KFProgram.run(["cache", "list", "--cache", "cache"], in: folder)
        #expect(
            outcome.text.contains("k\\x1b[2J\\x9d\\nforged"),
            "\(outcome.text.debugDescription)"
        )
        #expect(outcome.text.split(separator: "\n").count == 2)
    }
}

import Foundation
import KingfisherTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `kf get` with errors: a clear message, the right status, and no files left over.
@Suite(.timeLimit(.minutes(1)))
struct GetFailureTests {
    /// A cause of a failed load, and the message expected on standard error.
    enum Fault: String, CaseIterable {
        case notFound, nowhere, noImage, empty, truncated, brokenOff, enormous, hanging

        var answer: LoopbackServer.Answer? {
            get throws {
                switch self {
                case .notFound: return nil
                case .nowhere: return .init(status: 302)
                case .noImage: return .init(body: Data("<html>hello</html>, and so on".utf8))
                case .empty: return .init()
                case .truncated:
                    let photo = try TestPictures.photo()
                    return .init(body: photo.prefix(photo.count / 2))
                case .brokenOff:
                    var answer = LoopbackServer.Answer(body: try TestPictures.photo())
                    answer.breaksOff = true
                    return answer
                case .enormous:
                    return .init(contentType: "image/png", body: TestPictures.enormousPNG())
                case .hanging:
                    var answer = LoopbackServer.Answer()
                    answer.hangs = true
                    return answer
                }
            }
        }

        var words: [String] {
            switch self {
            case .notFound: ["2002", "404"]
            case .nowhere: ["2002", "302", "the redirect names no address; check the URL"]
            case .noImage, .truncated: ["4001", "; check the source"]
            case .empty: ["4001"]
            case .brokenOff: ["2003"]
            case .enormous: ["4001", "60"]
            case .hanging: ["increase --timeout"]
            }
        }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: Fault.allCases)
    func `a load that fails says why, exits with 1 and leaves nothing`(fault: Fault) async throws {
        let answer = try fault.answer
        let server = try LoopbackServer { _, _ in answer }
        defer { server.stop() }
        let timeout = fault == .hanging ? "0.5" : "20"
        let outcome = try await KFProgram.run(
            [
                "get", server.url("/picture"), "-o", "out.png", "--cache", "cache", "--timeout",
                timeout, "--processor", "downsample:100x100",
            ],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("kf: error"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
        for word in fault.words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
        #expect(try folder.files() == ["cache"])
        #expect(folder.cacheEntries().isEmpty)
    }

    @Test func `a result above the limits names its size and the limit`() async throws {
        try TestPictures.photo().write(to: folder.url.appendingPathComponent("in.jpg"))
        let outcome = try await KFProgram.run(
            ["get", "in.jpg", "-p", "resize:30000x30000", "-o", "out.jpg", "--cache", "cache"],
            in: folder
        )
        #expect(outcome.status == 1)
        for words in ["4002", "30000 × ", "the limit is", "32767", "choose a smaller size"] {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        #expect(try folder.files() == ["cache", "in.jpg"])
    }

    @Test func `a refused connection is reported as such`() async throws {
        let server = try LoopbackServer { _, _ in nil }
        server.stop()
        let outcome = try await KFProgram.run(
            ["get", server.url("/picture"), "--cache", "cache"],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("2003"), "\(outcome.errors)")
        #expect(outcome.errors.lowercased().contains("connect"), "\(outcome.errors)")
    }

    @Test func `a cache that cannot be written is reported before anything is loaded`() async throws
    {
        try Data().write(to: folder.url.appendingPathComponent("file"))
        let server = try LoopbackServer { _, _ in nil }
        defer { server.stop() }
        let outcome = try await KFProgram.run(
            ["get", server.url("/picture"), "--cache", "file/cache"],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("3005"), "\(outcome.errors)")
        #expect(outcome.errors.contains("file/cache"), "\(outcome.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a missing output folder is reported before anything is loaded`() async throws {
        let server = try LoopbackServer { _, _ in nil }
        defer { server.stop() }
        let outcome = try await KFProgram.run(
            ["get", server.url("/picture"), "-o", "nowhere/out.png"],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("nowhere/out.png"), "\(outcome.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test func `an uncached image fails when only the cache is allowed`() async throws {
        let outcome = try await KFProgram.run(
            ["get", "http://127.0.0.1:9/x.jpg", "--only-from-cache", "--cache", "cache"],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("3006"), "\(outcome.errors)")
    }

    @Test func `a web address without its scheme gets advice`() async throws {
        for source in ["example.com/a.jpg", "localhost:80/a.jpg"] {
            let outcome = try await KFProgram.run(["get", source], in: folder)
            #expect(outcome.errors.contains("a web address begins with https://"), "\(source)")
        }
        let outcome = try await KFProgram.run(["get", "folder/a.jpg"], in: folder)
        #expect(!outcome.errors.contains("web address"))
    }

    @Test func `a missing file is reported by name`() async throws {
        let outcome = try await KFProgram.run(["get", "no such.jpg", "--cache", "c"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no such.jpg"), "\(outcome.errors)")
    }

    @Test func `an output that is no regular file is not replaced`() async throws {
        try TestPictures.png().write(to: folder.url.appendingPathComponent("in.png"))
        let outcome = try await KFProgram.run(
            ["get", "in.png", "--cache", "cache", "--format", "png", "-o", "/dev/null"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let kind = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type]
        #expect(kind as? FileAttributeType == .typeCharacterSpecial)
    }

    @Test(arguments: [
        ["get"],
        ["get", ""],
        ["get", "ftp://example.com/a.jpg"],
        ["get", "http://"],
        ["get", "a.jpg", "b.jpg", "-o", "c.jpg"],
        ["get", "a.jpg", "--processor", "swirl:3"],
        ["get", "a.jpg", "--processor", "downsample"],
        ["get", "a.jpg", "--processor", "downsample:0x10"],
        ["get", "a.jpg", "--processor", "resize:10x10:squeeze"],
        ["get", "a.jpg", "--processor", "round:-1"],
        ["get", "a.jpg", "--processor", "round:nan"],
        ["get", "a.jpg", "--processor", "tint:reddish"],
        ["get", "a.jpg", "--processor", "crop:10x10@2,0"],
        ["get", "a.jpg", "--processor", "color:1,2"],
        ["get", "a.jpg", "--processor", "smartcrop:300x"],
        ["get", "a.jpg", "--processor", "blend:melt"],
        ["get", "a.jpg", "--processor", "bw:1"],
        ["get", "a.jpg", "--processor", "watermark:nowhere.png"],
        ["get", "a.jpg", "--format", "bmp"],
        ["get", "a.jpg", "-o", "out.bmp"],
        ["get", "a.jpg", "--quality", "101"],
        ["get", "a.jpg", "--quality", "good"],
        ["get", "a.jpg", "--colors", "1"],
        ["get", "a.jpg", "--colors", "257"],
        ["get", "a.jpg", "--timeout", "0"],
        ["get", "a.jpg", "--timeout", "nan"],
        ["get", "a.jpg", "--force-refresh", "--only-from-cache"],
        ["get", "a.jpg", "--header", "X: y"],
        ["get", "http://127.0.0.1:9/a.jpg", "--header", "no colon"],
        ["get", "-", "--only-from-cache"],
        ["get", "data:image/png;base64"],
        ["get", "data:image/png;base64,%%%"],
        ["placeholder"],
        ["placeholder", "a.jpg", "--components", "10x1"],
        ["fetch", "a.jpg"],
    ])
    func `wrong usage exits with 64 and prints correct usage`(arguments: [String]) async throws {
        let outcome = try await KFProgram.run(arguments, in: folder)
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("Usage:"), "\(outcome.errors)")
        #expect(try folder.files().isEmpty)
    }

    @Test func `a watermark that cannot be read says why`() async throws {
        try Data("text".utf8).write(to: folder.url.appending(path: "in.txt"))
        let reasons = ["gone.png": "No such file or directory", "in.txt": "not an image"]
        for (file, reason) in reasons {
            let outcome = try await KFProgram.run(
                ["get", "a.jpg", "-p", "watermark:\(file)"],
                in: folder
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("'\(file)'"), "\(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    @Test func `an unknown processor is answered with those there are`() async throws {
        let outcome = try await KFProgram.run(
            ["get", "a.jpg", "--processor", "swirl:3"],
            in: folder
        )
        #expect(outcome.errors.contains("unknown processor 'swirl'"), "\(outcome.errors)")
        #expect(outcome.errors.contains("downsample:SIZE"), "\(outcome.errors)")
    }

    @Test func `an image is not written to a terminal`() async throws {
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(terminal) }
        // TIOCSPTLCK and TIOCGPTN, whose macros Swift cannot import.
        var (lock, number): (Int32, UInt32) = (0, 0)
        #expect(ioctl(terminal, 0x4004_5431, &lock) == 0)
        #expect(ioctl(terminal, 0x8004_5430, &number) == 0)
        let outcome = try await KFProgram.run(
            ["get", "in.png", "-o", "-"],
            in: folder,
            outputPath: "/dev/pts/\(number)"
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("kf show draws an image"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["info", "in.jpg"], ["get", "in.jpg", "--json"], ["--help"], ["get", "in.jpg", "-o", "-"],
        ["show", "in.jpg"], ["trace", "in.jpg", "-o", "-"], ["completions", "bash"],
    ])
    func `output that cannot be written is a failure`(arguments: [String]) async throws {
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
        let outcome = try await KFProgram.run(arguments, in: folder, outputPath: "/dev/full")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("cannot write standard output: No space left on device"),
            "\(outcome.errors)"
        )
    }

    @Test func `an image that is too large in its own size names it and the limit`() async throws {
        // A screen of 40,000 × 1 pixels with a frame of one.
        let gif =
            Array("GIF89a".utf8) + [0x40, 0x9C, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
        try Data(gif).write(to: folder.url.appendingPathComponent("wide.gif"))
        // Commands without -p name the one that has it.
        for line in ["get wide.gif -o out.png", "icon wide.gif -o a.ico", "srcset wide.gif -o s"] {
            let command = line.split(separator: " ").map(String.init)
            let outcome = try await KFProgram.run(command, in: folder)
            #expect(outcome.status == 1)
            for words in ["40000 × 1", "32767", "kf get -p downsample"] {
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
            }
        }
        let smaller = try await KFProgram.run(
            ["get", "wide.gif", "-p", "downsample:2000x", "-o", "out.png"],
            in: folder
        )
        #expect(smaller.status == 0, "\(smaller.errors)")
    }
}

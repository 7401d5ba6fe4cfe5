import Foundation
import Kingfisher
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs of `kf convert` that are interrupted, or that cannot read or write.
@Suite(.timeLimit(.minutes(1)))
struct ConvertFailureTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["many", "out"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name),
                withIntermediateDirectories: true
            )
        }
    }

    private func add(_ count: Int, _ image: Data) throws {
        for index in 0..<count {
            try image.write(to: folder.url.appending(path: "many/\(100 + index).jpg"))
        }
    }

    @Test(arguments: ["convert many -o out", "get many -o out/", "optimize many/*.jpg -o out/"])
    func `a link that leads nowhere is an input that cannot be read`(line: String) async throws {
        try add(1, TestPictures.jpeg(width: 64, height: 48))
        for (link, target) in [("gone.jpg", "nowhere"), ("loop.jpg", "loop.jpg"), ("x", "y")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("many/" + link),
                withDestinationPath: target
            )
        }
        let arguments = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(arguments, in: folder)
        #expect(outcome.status == 1)
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 2, "\(outcome.errors)")
        for name in ["gone", "loop"] {
            #expect(errors.contains { $0.contains("cannot read many/\(name).jpg: ") })
        }
        #expect(FileManager.default.fileExists(atPath: folder.path("out/100.jpg")))
    }

    @Test(arguments: [SIGINT, SIGQUIT])
    func `an interrupted run leaves no partial file`(signal: Int32) async throws {
        try add(200, TestPictures.photo())
        let changes = try FolderChanges(of: folder.path("out"))
        let process = Process()
        process.executableURL = KFProgram.executable
        // Large files, which take some time to be written.
        process.arguments = [
            "convert", "many", "-o", "out", "-p", "resize:2400x", "--format", "png", "--jobs", "2",
        ]
        process.currentDirectoryURL = folder.url
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // Interrupt while one is being written: of two at once, the third begins after the first
        // has ended.
        #expect(await changes.waitForCreation(ofHiddenFile: 3))
        #expect(kill(process.processIdentifier, signal) == 0)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
        #expect((1..<200).contains(left.count))
        for name in left {
            #expect(!name.hasPrefix("."))
            #expect(KFCrossPlatformImage(data: try folder.data("out/\(name)")) != nil)
        }
    }

    @Test(arguments: ["avif", "webp", "png"])
    func `a file that takes too long fails alone, and leaves nothing`(
        format: String
    ) async throws {
        try add(1, TestPictures.photo())
        let outcome = try await KFProgram.run(
            [
                "convert", "many", "-o", "out", "-p", "resize:8000x4000:none", "--format", format,
                "--timeout", "0.3",
            ],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.text.hasPrefix("0 converted, 1 failed"), "\(outcome.text)")
        #expect(outcome.errors.contains("timed out after 0.3 s; increase --timeout"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).isEmpty)
    }

    @Test(arguments: ["srcset", "animate"])
    func `the deadline holds while results are encoded`(command: String) async throws {
        try add(command == "srcset" ? 1 : 8, TestPictures.photo(width: 4000, height: 3000))
        let arguments =
            command == "srcset"
            ? ["srcset", "many/100.jpg", "-o", "out", "--formats", "avif", "--widths", "4000"]
            : ["animate", "many", "-o", "out/a.webp", "--size", "2000x2000"]
        let outcome = try await KFProgram.run(arguments + ["--timeout", "0.4"], in: folder)
        #expect(outcome.status == 1, "\(outcome.text)")
        #expect(outcome.errors.contains("timed out after 0.4 s; increase --timeout"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).isEmpty)
    }

    @Test func `an input that is no regular file is refused at once`() async throws {
        try add(1, TestPictures.jpeg())
        #expect(mkfifo(folder.path("pipe.jpg"), 0o600) == 0)
        for input in ["pipe.jpg", "/dev/zero"] {
            let outcome = try await KFProgram.run(
                ["convert", input, "many", "-o", "out"],
                in: folder
            )
            #expect(outcome.status == 1)
            #expect(outcome.text.hasPrefix("1 converted, 1 failed"), "\(outcome.text)")
            let message = "\(input) is not a regular file; save it to one first"
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    @Test(.enabled(if: Namespaces.canMount))
    func `a folder that is read-only is named`() throws {
        try add(1, TestPictures.jpeg())
        let outcome = try Namespaces.shell(
            """
            mount --bind out out; mount -o remount,bind,ro out
            exec \(KFProgram.executable.path) convert many -o out
            """,
            in: folder.url.path
        )
        #expect(outcome.errors == "kf: error: cannot write out: Read-only file system\n")
    }

    @Test(.enabled(if: Namespaces.canMount))
    func `a full disk ends the run, and the other files are listed`() throws {
        try add(40, TestPictures.jpeg())
        for (option, lines) in [("", 2), ("--verbose", 42)] {
            let outcome = try Namespaces.shell(
                """
                mount -t tmpfs -o size=24k none out
                exec \(KFProgram.executable.path) convert many -o out --jobs 1 \(option)
                """,
                in: folder.url.path
            )
            #expect(outcome.status == 1)
            let errors = outcome.errors.split(separator: "\n")
            #expect(errors.count == lines, "\(outcome.errors)")
            let last = errors.suffix(2).joined(separator: "\n")
            #expect(last.contains("No space left on device"), "\(outcome.errors)")
            #expect(last.contains(#/\n.* disk is full, \d\d files were not tried; make room/#))
            let listed = errors.filter { $0.hasSuffix("not done, the disk is full") }
            #expect(listed.isEmpty == option.isEmpty, "\(outcome.errors)")
        }
    }
}

/// Reports the files that are created in a folder.
private final class FolderChanges: Sendable {
    private let descriptor: Int32

    init(of path: String) throws {
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_CREATE)) >= 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
    }

    deinit { close(descriptor) }

    /// Waits for the hidden file of this number, counted from 1; false if there is no change for
    /// 30 seconds.
    ///
    func waitForCreation(ofHiddenFile number: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            // Reading blocks, for which a task has no thread to spare.
            Thread.detachNewThread { [self] in
                continuation.resume(returning: hasCreated(number))
            }
        }
    }

    private func hasCreated(_ number: Int) -> Bool {
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        while true {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 30_000) > 0 else { return false }
            let received = read(descriptor, &buffer, buffer.count)
            var start = 0
            while start + header < received {
                let length = Int(buffer[start + header - 4]) | Int(buffer[start + header - 3]) << 8
                count += buffer[start + header] == UInt8(ascii: ".") ? 1 : 0
                if count == number { return true }
                start += header + length
            }
        }
    }
}

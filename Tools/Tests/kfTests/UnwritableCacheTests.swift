import Foundation
import KingfisherTesting
import Testing

/// Caches on file systems that are full or read-only.
///
/// Each run mounts its own in a mount namespace. The suite is skipped if that is not permitted.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Namespaces.canMount))
struct UnwritableCacheTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "cache"),
            withIntermediateDirectories: true
        )
    }

    private func mounted(
        _ mount: String,
        _ arguments: String
    ) throws -> (
        status: Int32, errors: String
    ) {
        let program = KFProgram.executable.path
        return try Namespaces.shell("\(mount)\nexec \(program) \(arguments)", in: folder.url.path)
    }

    private static let readOnly = "mount --bind cache cache; mount -o remount,bind,ro cache"

    @Test func `a read-only cache serves its entries`() async throws {
        _ = try await KFProgram.run(["get", "in.jpg", "--cache", "cache"], in: folder)
        let outcome = try mounted(
            Self.readOnly,
            "get in.jpg --cache cache --only-from-cache -o out.jpg"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("new images are not cached"), "\(outcome.errors)")
        #expect(try folder.data("out.jpg") == folder.data("in.jpg"))
    }

    @Test(arguments: [
        "mount --bind cache cache; mount -o remount,bind,ro cache",
        "mount -t tmpfs -o size=8k none cache",
        "mount -t tmpfs -o nr_inodes=1 none cache",
    ])
    func `images that cannot be cached are loaded all the same`(mount: String) throws {
        let outcome = try mounted(mount, "get in.jpg -p resize:64x --cache cache -o out.jpg")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("kf: note: the cache"), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        #expect(try !folder.data("out.jpg").isEmpty)
    }

    @Test(arguments: ["size=400k", "size=40m,nr_inodes=9"])
    func `images that a full disk displaced are not blamed on the size limit`(
        limits: String
    ) throws {
        let image = try TestPictures.jpeg()
        let server = try LoopbackServer { path, _ in
            // Equal bytes of several names would be one file.
            .init(body: image + Data(repeating: path.utf8.last ?? 0, count: 60_000))
        }
        let urls = (1...9).map { server.url("/\($0)") }.joined(separator: " ")
        let outcome = try mounted(
            "mount -t tmpfs -o \(limits) none cache",
            "prefetch --cache cache --cache-limit 10MB \(urls)"
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("is full: "), "\(outcome.errors)")
        #expect(!outcome.errors.contains("--cache-limit"), "\(outcome.errors)")
    }

    @Test func `prefetching into a cache that keeps nothing fails`() throws {
        let image = try TestPictures.jpeg()
        let server = try LoopbackServer { _, _ in .init(body: image) }
        for option in ["", "--quiet", "--verbose"] {
            let arguments = "prefetch \(server.url("/a.jpg")) --cache cache \(option)"
            let outcome = try mounted(Self.readOnly, arguments)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("not every image could be cached"), "\(outcome.errors)")
        }
    }
}

/// Runs scripts in separate mount namespaces.
enum Namespaces {
    static let canMount = (try? shell("mount -t tmpfs none /mnt", in: "/").status) == 0

    /// Runs a script as root of new namespaces.
    static func shell(
        _ script: String,
        in directory: String
    ) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "-rm", "sh", "-ec", script]
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let errors = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: errors, as: UTF8.self))
    }
}

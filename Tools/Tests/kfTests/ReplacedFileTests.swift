import Foundation
import Kingfisher
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files of a user that are replaced: by `kf optimize --in-place`, and by `-o`.
@Suite(.timeLimit(.minutes(1)))
struct ReplacedFileTests {
    let folder: TemporaryFolder
    private let photo: Data

    init() throws {
        folder = try TemporaryFolder()
        photo = try TestPictures.jpeg()
        try photo.write(to: folder.url.appending(path: "in.jpg"))
        try photo.write(to: folder.url.appending(path: "out.jpg"))
    }

    /// The two ways to replace `out.jpg`.
    private static let commands = [
        ["optimize", "--in-place", "out.jpg"],
        ["get", "in.jpg", "-p", "resize:50x", "-o", "out.jpg"],
    ]

    private func status(_ name: String) throws -> stat {
        var status = stat()
        try #require(lstat(folder.path(name), &status) == 0)
        return status
    }

    @Test(arguments: commands)
    func `permissions, owner and attributes stay`(command: [String]) async throws {
        let path = folder.path("out.jpg")
        // Neither those of a new file nor those of a temporary one.
        #expect(chmod(path, 0o640) == 0)
        // Only an administrator may give a file away.
        let isAdministrator = getuid() == 0 && chown(path, 1234, 2345) == 0
        let attribute = ExtendedAttribute("user.kf-test")
        let holdsAttributes = attribute.set("mine", at: path)
        let outcome = try await KFProgram.run(command, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data("out.jpg") != photo)
        let after = try status("out.jpg")
        #expect(after.st_mode & 0o7777 == 0o640)
        if isAdministrator { #expect(after.st_uid == 1234 && after.st_gid == 2345) }
        if holdsAttributes { #expect(attribute.value(at: path) == "mine") }
    }

    @Test func `a new file has the permissions of any new file`() async throws {
        let outcome = try await KFProgram.run(["get", "in.jpg", "-o", "new.png"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let file = try #require(fopen(folder.path("usual"), "w"))
        fclose(file)
        #expect(try status("new.png").st_mode == status("usual").st_mode)
    }

    @Test func `a file that is optimised in place keeps its times`() async throws {
        let times = [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 2000, tv_nsec: 7)]
        #expect(utimensat(AT_FDCWD, folder.path("out.jpg"), times, 0) == 0)
        let outcome = try await KFProgram.run(Self.commands[0], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let after = try status("out.jpg")
        #expect(after.st_mtim.tv_sec == 2000 && after.st_mtim.tv_nsec == 7)
    }

    @Test(arguments: commands)
    func `a link stays, and the file behind it is replaced`(command: [String]) async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("real"),
            withIntermediateDirectories: true
        )
        #expect(rename(folder.path("out.jpg"), folder.path("real/photo.jpg")) == 0)
        #expect(symlink("real/photo.jpg", folder.path("middle.jpg")) == 0)
        #expect(symlink("middle.jpg", folder.path("out.jpg")) == 0)
        let outcome = try await KFProgram.run(command, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try status("out.jpg").st_mode & S_IFMT == S_IFLNK)
        #expect(try status("real/photo.jpg").st_mode & S_IFMT == S_IFREG)
        #expect(try folder.data("real/photo.jpg") != photo)
    }

    @Test func `a link to a file that is not there yet makes it, and a circle is refused`()
        async throws
    {
        let pairs = [("new.jpg", "later.jpg"), ("a.jpg", "b.jpg"), ("b.jpg", "a.jpg")]
        for (link, target) in pairs { #expect(symlink(target, folder.path(link)) == 0) }
        let made = try await KFProgram.run(["get", "in.jpg", "-o", "new.jpg"], in: folder)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try status("later.jpg").st_mode & S_IFMT == S_IFREG)
        let refused = try await KFProgram.run(["get", "in.jpg", "-o", "a.jpg"], in: folder)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("cannot write a.jpg"), "\(refused.errors)")
    }

    @Test(arguments: commands)
    func `a read-only file and one of several names are kept unless forced`(
        command: [String]
    ) async throws {
        for (kind, reason) in [("read-only", "it is read-only"), ("links", "2 names")] {
            try photo.write(to: folder.url.appending(path: "out.jpg"))
            if kind == "links" {
                #expect(link(folder.path("out.jpg"), folder.path("other.jpg")) == 0)
            } else {
                #expect(chmod(folder.path("out.jpg"), 0o444) == 0)
            }
            let refused = try await KFProgram.run(command, in: folder)
            #expect(refused.status == 1)
            #expect(refused.errors.contains(reason), "\(refused.errors)")
            #expect(refused.errors.contains("--force"))
            #expect(try folder.data("out.jpg") == photo)
            let forced = try await KFProgram.run(command + ["--force"], in: folder)
            #expect(forced.status == 0, "\(forced.errors)")
            #expect(try folder.data("out.jpg") != photo)
            if kind == "links" { #expect(try folder.data("other.jpg") == photo) }
            try FileManager.default.removeItem(atPath: folder.path("out.jpg"))
        }
    }

    @Test(.enabled(if: CallSpy.canBuild))
    func `the bytes reach the disk before the name does`() async throws {
        let spy = try await CallSpy(in: folder)
        let outcome = try await KFProgram.run(
            Self.commands[0],
            in: folder,
            environment: spy.environment
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try spy.calls() == ["fdatasync", "rename", "fsync"])
    }

    @Test func `names that are not UTF-8 are refused`() async throws {
        for script in [
            "\"$0\" get in.jpg -o $'bad\\xFF.png'", "\"$0\" get in.jpg --output=$'bad\\xFF.png'",
            "\"$0\" get in.jpg --cache $'bad\\xFF'", "\"$0\" convert in.jpg -o $'bad\\xFF'",
            "\"$0\" cache stats --cache $'bad\\xFF'",
        ] {
            let outcome = try await KFProgram.bash(script, in: folder)
            #expect(outcome.status == 64, "\(script)")
            #expect(
                outcome.errors.contains("is not UTF-8; choose another name"),
                "\(outcome.errors)"
            )
        }
        #expect(try folder.files() == ["in.jpg", "out.jpg"])
    }
}

/// An attribute of files beside their bytes.
private struct ExtendedAttribute {
    private typealias Set =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, Int32)
        ->
        Int32
    private typealias Get =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int)
        ->
        Int

    private let name: String

    init(_ name: String) { self.name = name }

    /// False where the file system has none.
    func set(_ value: String, at path: String) -> Bool {
        guard let symbol = dlsym(nil, "setxattr") else { return false }
        return unsafeBitCast(symbol, to: Set.self)(path, name, value, value.utf8.count, 0) == 0
    }

    func value(at path: String) -> String? {
        guard let symbol = dlsym(nil, "getxattr") else { return nil }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = unsafeBitCast(symbol, to: Get.self)(path, name, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// A library that notes the calls of a program that put files on the disk.
private struct CallSpy {
    static let canBuild = FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")

    private let folder: TemporaryFolder

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        static void note(const char *name) {
            int file = open(getenv("KF_SPY"), O_WRONLY | O_APPEND | O_CREAT, 0600);
            if (file < 0 || write(file, name, strlen(name)) < 0) abort();
            close(file);
        }
        int fdatasync(int file) {
            note("fdatasync\\n");
            return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
        }
        int fsync(int file) {
            note("fsync\\n");
            return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
        }
        int rename(const char *from, const char *to) {
            note("rename\\n");
            return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
        }
        """

    init(in folder: TemporaryFolder) async throws {
        self.folder = folder
        let file = folder.streams.appending(path: "spy.c")
        try Self.source.write(to: file, atomically: true, encoding: .utf8)
        let built = try await KFProgram.run(
            ["-shared", "-fPIC", "-o", library, file.path, "-ldl"],
            in: folder,
            program: URL(fileURLWithPath: "/usr/bin/cc")
        )
        try #require(built.status == 0, "\(built.errors)")
    }

    private var library: String { folder.streams.appending(path: "spy.so").path }
    private var log: URL { folder.streams.appending(path: "calls") }

    var environment: [String: String] { ["LD_PRELOAD": library, "KF_SPY": log.path] }

    func calls() throws -> [String] {
        try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}

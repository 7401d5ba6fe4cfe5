import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct POSIXFileSystemTests {
    private let files = POSIXFileSystem()
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func path(_ name: String) -> String { folder.file(name).path }

    private func mode(_ path: String) -> mode_t? {
        var found = stat()
        return lstat(path, &found) == 0 ? found.st_mode & 0o7777 : nil
    }

    @Test func `a folder is made with those above it, for its user alone`() throws {
        for _ in 0..<2 { try files.makeDirectory(path("a/b/c")) }
        #expect(mode(path("a")) == 0o700)
        #expect(mode(path("a/b/c")) == 0o700)
        try Data().write(to: folder.file("file"))
        #expect(throws: Errno.notDirectory) { try files.makeDirectory(path("file")) }
        #expect(throws: Errno.notDirectory) { try files.makeDirectory(path("file/a")) }
        #expect(throws: Errno.noSuchFileOrDirectory) { try files.makeDirectory("") }
    }

    @Test func `only an own folder is restricted, not the one that a link leads to`() throws {
        try files.makeDirectory(path("own"))
        #expect(symlink("own", path("link")) == 0)
        try Data().write(to: folder.file("file"))
        for name in ["own", "file"] { #expect(chmod(path(name), 0o755) == 0) }
        for name in ["link", "file", "missing"] { files.restrict(directory: path(name)) }
        #expect(mode(path("own")) == 0o755)
        #expect(mode(path("file")) == 0o755)
        files.restrict(directory: path("own"))
        #expect(mode(path("own")) == 0o700)
        // Rights that the user has not are not given.
        #expect(chmod(path("own"), 0o550) == 0)
        files.restrict(directory: path("own"))
        #expect(mode(path("own")) == 0o500)
    }

    @Test func `a list of names has the wanted files, and no folders`() throws {
        try files.makeDirectory(path("a/folder"))
        for name in ["one", "two", ".hidden"] { try Data().write(to: folder.file("a/\(name)")) }
        #expect(
            try files.names(in: path("a"), where: { $0 != "two" }).sorted() == [".hidden", "one"]
        )
        for (name, error) in [("a/one", Errno.notDirectory), ("b", .noSuchFileOrDirectory)] {
            #expect(throws: error) { try files.names(in: path(name), where: { _ in true }) }
        }
    }

    @Test func `a file opened for writing is for its user alone, one that is read stays`() throws {
        try Data("text".utf8).write(to: folder.file("a"))
        #expect(chmod(path("a"), 0o644) == 0)
        let reader = try files.open(path("a"), writable: false)
        #expect(mode(path("a")) == 0o644)
        #expect(throws: (any Error).self) { try files.append(Data("x".utf8), to: reader) }
        let writer = try files.open(path("a"), writable: true)
        #expect(mode(path("a")) == 0o600)
        try files.append(Data(" and more".utf8), to: writer)
        #expect(try files.read(reader, from: 2, count: 100) == Data("xt and more".utf8))
        #expect(try files.read(reader, from: 0, count: 4) == Data("text".utf8))
    }

    @Test func `a proof replaces the one before, and a file without one has none`() throws {
        let file = try files.open(path("a"), writable: true)
        #expect(throws: Errno.noData) { try files.proof(of: path("a")) }
        for proof in [Data("one".utf8), Data("another".utf8), Data()] {
            try files.setProof(proof, of: file)
            #expect(try files.proof(of: path("a")) == proof)
        }
    }

    @Test func `what is no file of this user is refused`() throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        try Data().write(to: folder.file("a"))
        #expect(symlink("a", path("link")) == 0)
        var foreign = ["pipe", "link"]
        // Only an administrator may give a file away.
        if getuid() == 0, chown(path("a"), 1234, 1234) == 0 { foreign.append("a") }
        for name in foreign {
            #expect(throws: Errno.foreignFile) { try files.open(path(name), writable: false) }
            #expect(throws: Errno.foreignFile) { try files.read(path(name), expecting: 0) }
        }
    }
}

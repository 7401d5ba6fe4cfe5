public import Foundation
import SystemPackage

/// Files without a name, which disappear with their last descriptor and mapping.
@_spi(Server) public enum UnnamedFile {
    /// Files above this size are mapped copies rather than memory; as ``TransferSettings`` by
    /// default do with bodies.
    @_spi(Server) public static let largestInMemory = 8 << 20

    /// Makes a file in `TMPDIR`, or in `/var/tmp`, which is on disk even if `/tmp` is in memory.
    ///
    /// - Throws: The last error, if no folder accepts a file.
    static func make() throws(Errno) -> FileDescriptor {
        let environment = ProcessInfo.processInfo.environment
        let folders = [environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(\.self)
        var failure = Errno.noSuchFileOrDirectory
        for folder in folders where !folder.isEmpty {
            do {
                return try make(in: folder)
            } catch {
                failure = (error as? Errno) ?? .ioError
            }
        }
        throw failure
    }

    /// Makes a file that ``link(_:to:)`` can name; it leaves nothing if the process is killed before.
    ///
    /// - Throws: ``Errno/noUnnamedFiles`` has the errors of systems that do not support it.
    static func makeLinkable(in folder: String) throws(Errno) -> FileDescriptor {
        guard canLink else { throw .notSupported }
        do {
            return try open(in: folder)
        } catch {
            throw (error as? Errno) ?? .ioError
        }
    }

    /// Names a file of ``makeLinkable(in:)``; an existing file at the path is an error.
    static func link(_ file: FileDescriptor, to path: String) throws(Errno) {
        // AT_EMPTY_PATH, which Swift's Glibc module does not import. Linux before 6.10 requires a
        // privilege for it, and reports a missing file without.
        if linkat(file.rawValue, "", AT_FDCWD, path, 0x1000) == 0 { return }
        if errno == ENOENT {
            let link = "\(descriptors)/\(file.rawValue)"
            if linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return }
        }
        throw Errno(rawValue: errno)
    }

    private static let descriptors = "/proc/self/fd"

    /// Without `/proc` some systems cannot link unnamed files.
    static let canLink = access(descriptors, X_OK) == 0

    /// The bytes of an open file, as a mapping of an unnamed copy.
    ///
    /// Unlike memory the kernel can reclaim them. The file itself is not mapped, because a process
    /// that truncates it would terminate this one with `SIGBUS`, and because its bytes may change
    /// after they were checked.
    ///
    /// - Parameters:
    ///   - descriptor: The file, which is read from its beginning.
    ///   - count: The maximum number of bytes.
    /// - Returns: The bytes; fewer than `count` only if the file ends before.
    /// - Throws: `Errno` of reading the file, or of making, writing or mapping the copy.
    @_spi(Server) public static func copy(of descriptor: Int32, atMost count: Int) throws -> Data {
        let copy = try make()
        return try copy.closeAfter {
            let file = FileDescriptor(rawValue: descriptor)
            return try Data.mapping(copy, count: try fill(copy, from: file, atMost: count))
        }
    }

    /// Returns the number of bytes copied.
    private static func fill(
        _ copy: FileDescriptor,
        from file: FileDescriptor,
        atMost count: Int
    ) throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var done = 0
        while done < count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count - done))
            let read = try file.read(fromAbsoluteOffset: Int64(done), into: room)
            guard read > 0 else { break }
            let bytes = UnsafeRawBufferPointer(rebasing: room.prefix(read))
            try copy.writeAll(toAbsoluteOffset: Int64(done), bytes)
            done += read
        }
        return done
    }

    /// `O_TMPFILE`, which Swift's Glibc module does not import.
    static let flag: Int32 = 0o20_000_000 | O_DIRECTORY

    private static func make(in folder: String) throws -> FileDescriptor {
        do {
            return try open(in: folder)
        } catch Errno.notSupported, Errno.isDirectory, Errno.invalidArgument {
            // The file system does not support unnamed files, so the name is removed after
            // creation.
            return try makeNamed(in: folder)
        }
    }

    private static func open(in folder: String) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(folder),
            .readWrite,
            options: [FileDescriptor.OpenOptions(rawValue: flag), .closeOnExec],
            permissions: .ownerReadWrite
        )
    }

    private static func makeNamed(in folder: String) throws -> FileDescriptor {
        let name = "\(folder)/.kingfisher-body-\(UInt64.random(in: .min ... .max))"
        let file = try FileDescriptor.open(
            FilePath(name),
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite
        )
        guard unlink(name) == 0 else {
            let failure = Errno(rawValue: errno)
            // At worst closing fails, which has no consequence here.
            try? file.close()
            throw failure
        }
        return file
    }
}

extension Errno {
    /// What file systems without unnamed files, or without links to them, report.
    static let noUnnamedFiles: [Errno] = [
        .notSupported, .isDirectory, .invalidArgument, .notPermitted, .noFunction,
    ]
}

extension Data {
    /// Maps a part of a file that begins at a page boundary.
    ///
    /// The mapping is private: changing the bytes does not change the file.
    static func mapping(
        _ file: FileDescriptor,
        from start: Int = 0,
        count: Int
    ) throws(Errno) -> Data {
        guard count > 0 else { return Data() }
        let address = mmap(
            nil,
            count,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE,
            file.rawValue,
            start
        )
        guard let address, address != MAP_FAILED else { throw Errno(rawValue: errno) }
        return Data(
            bytesNoCopy: address,
            count: count,
            deallocator: .custom { address, count in munmap(address, count) }
        )
    }
}

import Foundation
import Synchronization
import SystemPackage

/// The file of a body that has left memory.
///
/// It has no name, so that nothing is left of it when the process ends, however it ends; or it has
/// one until then, so that a process that was killed leaves what it had.
final class SpillFile: Sendable {
    private let descriptor: FileDescriptor
    /// Where the body begins.
    private let start: Int
    private let path: String?
    /// Whether its end removes it.
    private let isOwned: Atomic<Bool>

    /// Makes one without a name in `TMPDIR`, else in `/var/tmp`, which is a disk where `/tmp` may be
    /// memory.
    init() throws(Errno) {
        let environment = ProcessInfo.processInfo.environment
        let folders = [environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(\.self)
        var failure = Errno.noSuchFileOrDirectory
        for folder in folders where !folder.isEmpty {
            do {
                descriptor = try Self.make(in: folder)
                start = 0
                path = nil
                isOwned = Atomic(false)
                return
            } catch {
                failure = (error as? Errno) ?? .ioError
            }
        }
        throw failure
    }

    /// Takes over a file whose body begins at `start`, and which is removed in the end if it is
    /// owned.
    init(_ descriptor: FileDescriptor, start: Int, path: String, isOwned: Bool = true) {
        self.descriptor = descriptor
        self.start = start
        self.path = path
        self.isOwned = Atomic(isOwned)
    }

    /// From now on the file is removed in the end.
    func own() { isOwned.store(true, ordering: .relaxed) }

    deinit {
        if let path, isOwned.load(ordering: .relaxed) { unlink(path) }
        // There is nobody to tell, and nothing that could be lost.
        try? descriptor.close()
    }

    /// `O_TMPFILE`, which Swift's module of the C library leaves out.
    private static let unnamed = FileDescriptor.OpenOptions(rawValue: 0o20_000_000 | O_DIRECTORY)

    private static func make(in folder: String) throws -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath(folder),
                .readWrite,
                options: [unnamed, .closeOnExec],
                permissions: .ownerReadWrite
            )
        } catch Errno.notSupported, Errno.isDirectory, Errno.invalidArgument {
            // The file system gives every file a name, if only for a moment.
            return try makeNamed(in: folder)
        }
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
            // It is closed in vain at worst.
            try? file.close()
            throw failure
        }
        return file
    }

    func write(_ bytes: RawSpan, at offset: Int) throws(Errno) {
        do {
            _ = try bytes.withUnsafeBytes {
                try descriptor.writeAll(toAbsoluteOffset: Int64(start + offset), $0)
            }
        } catch {
            throw (error as? Errno) ?? .ioError
        }
    }

    func read(from offset: Int, count: Int) throws -> Data {
        var data = Data(count: count)
        let read = try data.withUnsafeMutableBytes { buffer in
            var done = 0
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let piece = try descriptor.read(
                    fromAbsoluteOffset: Int64(start + offset + done),
                    into: rest
                )
                guard piece > 0 else { break }
                done += piece
            }
            return done
        }
        return data.prefix(read)
    }

    /// The first `count` bytes as a mapping, which outlives the file.
    func map(_ count: Int) throws(Errno) -> Data {
        try Data.mapping(descriptor, from: start, count: count)
    }
}

extension Data {
    /// Maps a part of a file, which begins at a page; the pages belong to the kernel until somebody
    /// changes them, which changes the file for nobody.
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

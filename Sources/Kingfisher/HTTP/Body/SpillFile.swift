import Foundation
import Synchronization
import SystemPackage

/// The file of a body that has left memory.
///
/// Usually it has no name, so that it disappears with the process. A file with a name is kept if
/// the process is killed; otherwise it is removed on deinit if it is owned.
final class SpillFile: Sendable {
    private let descriptor: FileDescriptor
    /// The offset at which the body begins.
    private let start: Int
    private let path: String?
    /// Whether the file is removed on deinit.
    private let isOwned: Atomic<Bool>

    /// Makes an unnamed file in `TMPDIR`, or in `/var/tmp`, which is on disk even if `/tmp` is in
    /// memory.
    ///
    /// - Throws: The last error, if no folder accepts a file.
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

    /// Takes over a file whose body begins at `start`; an owned file is removed on deinit.
    init(_ descriptor: FileDescriptor, start: Int, path: String, isOwned: Bool = true) {
        self.descriptor = descriptor
        self.start = start
        self.path = path
        self.isOwned = Atomic(isOwned)
    }

    /// Makes the file owned: it is removed on deinit.
    func own() { isOwned.store(true, ordering: .relaxed) }

    deinit {
        if let path, isOwned.load(ordering: .relaxed) { unlink(path) }
        // There is no caller to report an error to, and no data to lose.
        try? descriptor.close()
    }

    /// `O_TMPFILE`, which Swift's Glibc module does not import.
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
            // The file system does not support unnamed files, so the name is removed after
            // creation.
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
            // At worst closing fails, which has no consequence here.
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

    /// Maps the first `count` bytes; the mapping remains valid after the file is removed.
    func map(_ count: Int) throws(Errno) -> Data {
        try Data.mapping(descriptor, from: start, count: count)
    }
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

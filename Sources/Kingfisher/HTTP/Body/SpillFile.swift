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
    let start: Int
    let path: String?
    /// Whether the file is removed on deinit.
    private let isOwned: Atomic<Bool>

    /// Makes an unnamed file; see ``UnnamedFile/make()``.
    init() throws(Errno) {
        descriptor = try UnnamedFile.make()
        start = 0
        path = nil
        isOwned = Atomic(false)
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

    /// Renames the file, which then stays.
    func rename(to other: String) throws(Errno) {
        guard let path, Foundation.rename(path, other) == 0 else { throw Errno(rawValue: errno) }
        isOwned.store(false, ordering: .relaxed)
    }

    deinit {
        if let path {
            if isOwned.load(ordering: .relaxed) { unlink(path) }
            // Closing is not enough while a child process, forked but not yet started, has a copy.
            flock(descriptor.rawValue, LOCK_UN)
        }
        // There is no caller to report an error to, and no data to lose.
        try? descriptor.close()
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

import Foundation
import SystemPackage

/// A body as it grows: in memory up to a threshold, beyond it in a file without a name.
///
/// So that a body of half a gigabyte that is refused in the end, or goes straight to a cache, takes
/// no more memory than the threshold. Writing goes through the page cache, at the speed of a copy.
struct BodyBuffer: Sendable {
    private enum Storage {
        case memory(Data)
        case file(SpillFile)
    }

    private var storage = Storage.memory(Data())
    private let threshold: Int
    /// In bytes.
    private(set) var count = 0

    /// Creates an empty body.
    ///
    /// - Parameter threshold: Bytes that stay in memory; beyond them a file is made.
    init(threshold: Int) {
        self.threshold = threshold
    }

    /// Whether it has left memory.
    var isInFile: Bool {
        if case .file = storage { true } else { false }
    }

    /// Makes room for what was announced, 4 MiB at most on a server's word.
    mutating func expect(_ bytes: Int) {
        guard case .memory(var data) = storage, data.isEmpty else { return }
        data.reserveCapacity(min(bytes, 4 << 20, threshold))
        storage = .memory(data)
    }

    /// Adds a piece.
    ///
    /// - Throws: If the file cannot be made or the disk is full; the body is of no use then.
    mutating func append(_ bytes: RawSpan) throws(Errno) {
        switch storage {
        case .file(let file):
            try file.write(bytes, at: count)
        case .memory(var data) where count + bytes.byteCount <= threshold:
            // Moved out and in: with a second reference every piece would copy the whole.
            storage = .memory(Data())
            bytes.withUnsafeBytes { data.append(contentsOf: $0) }
            storage = .memory(data)
        case .memory(let data):
            let file = try SpillFile()
            try file.write(data.bytes, at: 0)
            try file.write(bytes, at: count)
            storage = .file(file)
        }
        count += bytes.byteCount
    }

    /// The body without a copy; from a file it is mapped, and lives as long as the value.
    ///
    /// - Throws: If the file cannot be mapped.
    func data() throws(Errno) -> Data {
        switch storage {
        case .memory(let data): data
        case .file(let file): try file.map(count)
        }
    }

    /// An independent copy of what follows the first `offset` bytes.
    func copy(from offset: Int = 0) -> Data {
        switch storage {
        case .memory(let data):
            return Data(data.dropFirst(offset))
        case .file(let file):
            // It was written a moment ago. Should reading fail, progress shows one scan less.
            return (try? file.read(from: offset, count: max(0, count - offset))) ?? Data()
        }
    }
}

import Foundation
import SystemPackage

/// A body under construction: in memory up to a threshold, beyond it in an unnamed file.
///
/// Bounds memory use: a body of half a gigabyte that is refused in the end, or goes straight to a
/// cache, takes no more memory than the threshold. Writes go through the page cache at the speed of
/// a copy.
struct BodyBuffer: Sendable {
    private enum Storage {
        case memory(Data)
        /// Memory from the pool; the body is its first ``BodyBuffer/count`` bytes.
        case block(BodyBlock)
        case file(SpillFile)
    }

    private var storage = Storage.memory(Data())
    private let threshold: Int
    private let pool: BodyPool?
    /// The size of the body in bytes.
    private(set) var count = 0

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - threshold: The maximum number of bytes in memory; a larger body moves to a file.
    ///   - pool: Provides the memory of large bodies; `nil` for the allocator.
    init(threshold: Int, pool: BodyPool? = nil) {
        self.threshold = threshold
        self.pool = pool
    }

    /// Continues a body whose first `count` bytes are in a file.
    ///
    /// The file is not modified or removed until ``own()`` is called.
    init(_ file: SpillFile, count: Int, threshold: Int) {
        self.init(threshold: threshold)
        storage = .file(file)
        self.count = count
    }

    /// An empty body with the same limits.
    func emptied() -> BodyBuffer { BodyBuffer(threshold: threshold, pool: pool) }

    /// Whether the body is in a file.
    var isInFile: Bool { file != nil }

    /// The file of the body; nil while it is in memory.
    var file: SpillFile? {
        if case .file(let file) = storage { file } else { nil }
    }

    /// Reserves memory for the stated length.
    ///
    /// Content-Length is untrusted: pooled memory is only address space until it is written, and
    /// reservations from the allocator are capped at 4 MiB.
    mutating func expect(_ bytes: Int) {
        guard case .memory(var data) = storage, data.isEmpty else { return }
        let room = min(bytes, threshold)
        if room >= BodyPool.minBytes, let block = pool?.take(room) {
            storage = .block(block)
        } else {
            data.reserveCapacity(min(room, 4 << 20))
            storage = .memory(data)
        }
    }

    /// Appends a piece.
    ///
    /// - Parameters:
    ///   - bytes: The piece.
    ///   - spill: Makes the file if the body leaves memory now.
    /// - Throws: The error of creating or writing the file; the body is unusable afterwards.
    mutating func append(
        _ bytes: RawSpan,
        spill: () throws(Errno) -> SpillFile = { () throws(Errno) in try SpillFile() }
    ) throws(Errno) {
        if case .file(let file) = storage {
            try file.write(bytes, at: count)
        } else if count + bytes.byteCount > threshold {
            let file = try spill()
            try file.write(data().bytes, at: 0)
            try file.write(bytes, at: count)
            storage = .file(file)
        } else {
            bytes.withUnsafeBytes { appendInMemory($0) }
        }
        count += bytes.byteCount
    }

    private mutating func appendInMemory(_ piece: UnsafeRawBufferPointer) {
        switch storage {
        case .block(let block) where block.append(piece, behind: count):
            break
        case .memory(var data) where count + piece.count < BodyPool.minBytes || pool == nil:
            // Moved out and back, because a second reference would make every append copy all
            // bytes.
            storage = .memory(Data())
            data.append(contentsOf: piece)
            storage = .memory(data)
        default:
            grow(piece)
        }
    }

    /// Moves to a larger piece of memory, because the body exceeds the stated length or none was
    /// given.
    private mutating func grow(_ piece: UnsafeRawBufferPointer) {
        let room = max(count + piece.count, min(count * 2, threshold))
        if let block = pool?.take(room) {
            withBytes { _ = block.append($0, behind: 0) }
            _ = block.append(piece, behind: count)
            storage = .block(block)
        } else {
            var data = Data(capacity: room)
            withBytes { data.append(contentsOf: $0) }
            data.append(contentsOf: piece)
            storage = .memory(data)
        }
    }

    /// Makes the buffer the owner of the file it continues, so that the file is removed with it.
    func own() {
        if case .file(let file) = storage { file.own() }
    }

    private func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        switch storage {
        case .memory(let data): data.withUnsafeBytes(body)
        case .block(let block): body(block.prefix(count))
        case .file: preconditionFailure("a file has no bytes in memory")
        }
    }

    /// The body without copying, for read-only use; a file is mapped.
    ///
    /// - Throws: The error of mapping the file.
    func data() throws(Errno) -> Data {
        switch storage {
        case .memory(let data): data
        case .block(let block): block.data(count)
        case .file(let file): try file.map(count)
        }
    }

    /// Ends the body and returns it without copying.
    ///
    /// Changing the returned value makes a copy as long as the buffer exists.
    ///
    /// - Throws: The error of mapping the file.
    mutating func finish() throws(Errno) -> Data {
        let data = try data()
        if case .block = storage { storage = .memory(data) }
        return data
    }

    /// An independent copy of the bytes after the first `offset` bytes.
    func copy(from offset: Int = 0) -> Data {
        switch storage {
        case .memory(let data):
            return Data(data.dropFirst(offset))
        case .block(let block):
            return Data(block.prefix(count).dropFirst(offset))
        case .file(let file):
            // The file was written just now. If reading fails, the progressive display misses one
            // scan.
            return (try? file.read(from: offset, count: max(0, count - offset))) ?? Data()
        }
    }
}

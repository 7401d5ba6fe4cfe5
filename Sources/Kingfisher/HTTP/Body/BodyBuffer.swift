import Foundation
import SystemPackage

/// A body as it grows: in memory up to a threshold, beyond it in a file without a name.
///
/// So that a body of half a gigabyte that is refused in the end, or goes straight to a cache, takes
/// no more memory than the threshold. Writing goes through the page cache, at the speed of a copy.
struct BodyBuffer: Sendable {
    private enum Storage {
        case memory(Data)
        /// From the pool; the body is the first ``BodyBuffer/count`` bytes.
        case block(BodyBlock)
        case file(SpillFile)
    }

    private var storage = Storage.memory(Data())
    private let threshold: Int
    private let pool: BodyPool?
    /// In bytes.
    private(set) var count = 0

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - threshold: Bytes that stay in memory; beyond them a file is made.
    ///   - pool: Where the memory of a large body comes from; `nil` for the allocator.
    init(threshold: Int, pool: BodyPool? = nil) {
        self.threshold = threshold
        self.pool = pool
    }

    /// Goes on with a body whose first `count` bytes are in a file, which stays what it is until the
    /// buffer owns it.
    init(_ file: SpillFile, count: Int, threshold: Int) {
        self.init(threshold: threshold)
        storage = .file(file)
        self.count = count
    }

    /// Whether it has left memory.
    var isInFile: Bool {
        if case .file = storage { true } else { false }
    }

    /// Makes room for what was announced.
    ///
    /// On a server's word: from the pool that is addresses alone until bytes come, then a page, of
    /// 2 MiB at most, and from the allocator it is little.
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

    /// Adds a piece.
    ///
    /// - Parameters:
    ///   - bytes: The piece.
    ///   - spill: Makes the file, if the body leaves memory now.
    /// - Throws: If the file cannot be made or the disk is full; the body is of no use then.
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
            // Moved out and in: with a second reference every piece would copy the whole.
            storage = .memory(Data())
            data.append(contentsOf: piece)
            storage = .memory(data)
        default:
            grow(piece)
        }
    }

    /// Moves to a larger piece of memory: more came than was announced, or nothing was.
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

    /// Lets the end of the buffer remove the file that it goes on with.
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

    /// The body without a copy, for the one who changes nothing; from a file it is mapped.
    ///
    /// - Throws: If the file cannot be mapped.
    func data() throws(Errno) -> Data {
        switch storage {
        case .memory(let data): data
        case .block(let block): block.data(count)
        case .file(let file): try file.map(count)
        }
    }

    /// Ends the body, and gives it away without a copy.
    ///
    /// Whoever gets it may change it: that makes a copy as long as the buffer is there.
    ///
    /// - Throws: If the file cannot be mapped.
    mutating func finish() throws(Errno) -> Data {
        let data = try data()
        if case .block = storage { storage = .memory(data) }
        return data
    }

    /// An independent copy of what follows the first `offset` bytes.
    func copy(from offset: Int = 0) -> Data {
        switch storage {
        case .memory(let data):
            return Data(data.dropFirst(offset))
        case .block(let block):
            return Data(block.prefix(count).dropFirst(offset))
        case .file(let file):
            // It was written a moment ago. Should reading fail, progress shows one scan less.
            return (try? file.read(from: offset, count: max(0, count - offset))) ?? Data()
        }
    }
}

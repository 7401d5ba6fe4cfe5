import Synchronization

/// Counts for names, in 16 KiB; few names share a count.
struct NameCounts: Sendable {
    private static let places = 4_096
    private var numbers = [UInt32](repeating: 0, count: places)

    subscript(name: ByteText) -> UInt32 {
        get { numbers[name.hashValue & (Self.places - 1)] }
        set { numbers[name.hashValue & (Self.places - 1)] = newValue }
    }

    mutating func addToAll() {
        for place in numbers.indices { numbers[place] &+= 1 }
    }
}

/// Counts the removals of entries: work that began before a removal does not store the entry.
@_spi(Server) public final class Removals: Sendable {
    private static let lastTable = Atomic(0)

    /// Distinguishes the counts of one table from those of another.
    private let table = Removals.lastTable.add(1, ordering: .relaxed).newValue
    private let counts = Mutex(NameCounts())

    /// Makes a table without removals.
    @_spi(Server) public init() {}

    /// Makes a mark of now for the computed key of an entry.
    @_spi(Server) public func mark(_ key: String) -> RemovalMark {
        RemovalMark(removals: self, key: key, count: count(of: key))
    }

    /// Notes a removal of an entry; call it before the entry is removed, and again when lookups find
    /// nothing.
    @_spi(Server) public func note(_ key: String) {
        counts.withLock { $0[ByteText(key)] &+= 1 }
    }

    /// Notes a removal of all entries.
    func noteAll() { counts.withLock { $0.addToAll() } }

    fileprivate func count(of key: String) -> UInt32 { counts.withLock { $0[ByteText(key)] } }

    fileprivate func epoch(_ count: UInt32) -> Int { count == 0 ? 0 : table << 32 | Int(count) }
}

/// The removals of an entry when some work on it began.
@_spi(Server) public struct RemovalMark: Sendable {
    fileprivate let removals: Removals
    fileprivate let key: String
    fileprivate let count: UInt32

    /// Differs for work that begins after a removal; 0 without one.
    @_spi(Server) public var epoch: Int { removals.epoch(count) }

    /// Whether the entry was removed since.
    @_spi(Server) public var isRemoved: Bool { removals.count(of: key) != count }

    /// What became of a store.
    @_spi(Server) public enum Outcome: Sendable {
        case made
        /// The entry was removed since the work began.
        case refused
        /// The entry was removed at the same time: remove it again.
        case overtaken
    }

    /// Stores the result of the work, unless the entry was removed since it began.
    ///
    /// No lock is held meanwhile, because storing runs code of others. A removal at the same time
    /// comes before the second look here, or after the store.
    ///
    /// - Parameter store: Stores the result.
    /// - Returns: Whether it was called, and was in time.
    @_spi(Server) public func store(_ store: () -> Void) -> Outcome {
        guard !isRemoved else { return .refused }
        store()
        return isRemoved ? .overtaken : .made
    }
}

import Foundation

/// The entries of a disk store by name and by last access, with their sums.
///
/// A dictionary into an array whose elements form a list from the least to the most recently used,
/// so that every operation takes O(1).
struct DiskIndex: Sendable {
    /// What the log does not say about an entry yet.
    enum Unwritten: UInt8 {
        case nothing
        case access
        case everything
    }

    struct Node {
        var entry: DiskEntry
        var older: Int
        var newer: Int
        var unwritten = Unwritten.nothing
        /// Tells which of two uses was later; the clock may stand still or jump.
        var lastUse: UInt64 = 0
        var isOnDisk = false
    }

    // There is no entry at this place, so it ends the list on both sides.
    private static let end = -1

    private(set) var nodes: [Node] = []
    private(set) var places: [String: Int] = [:]
    private var free: [Int] = []
    private var oldest = end
    private var newest = end
    private var uses: UInt64 = 0
    /// Places with something unwritten, and perhaps some without.
    private var unwritten: [Int] = []

    /// The sum of the sizes, in bytes.
    private(set) var totalSize = 0
    /// What the log would have if it were written anew, in bytes.
    private(set) var liveLogSize = 0

    var count: Int { places.count }
    var unwrittenCount: Int { unwritten.count }

    subscript(name: String) -> DiskEntry? { places[name].map { nodes[$0].entry } }

    /// Adds an entry as the most recently used one, instead of an earlier one of its name.
    mutating func put(_ entry: DiskEntry, unwritten: Unwritten = .nothing) {
        remove(entry.name)
        let node = Node(entry: entry, older: newest, newer: Self.end)
        let place: Int
        if let reused = free.popLast() {
            place = reused
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places[entry.name] = place
        appendToList(place)
        totalSize += entry.size
        liveLogSize += LogRecord.size(of: entry)
        mark(place, unwritten)
    }

    @discardableResult
    mutating func remove(_ name: String) -> DiskEntry? {
        guard let place = places.removeValue(forKey: name) else { return nil }
        takeFromList(place)
        free.append(place)
        let entry = nodes[place].entry
        // The strings go now, not when the place is used again.
        nodes[place].entry.name = ""
        nodes[place].entry.key = ""
        nodes[place].unwritten = .nothing
        totalSize -= entry.size
        liveLogSize -= LogRecord.size(of: entry)
        return entry
    }

    /// Changes what is known about an entry, except its names, and makes it the most recently used one.
    ///
    /// Nothing happens if there is none of the name, or if `change` says that it is another one.
    mutating func use(_ name: String, unwritten: Unwritten, change: (inout DiskEntry) -> Bool) {
        guard let place = places[name] else { return }
        let size = nodes[place].entry.size
        guard change(&nodes[place].entry) else { return }
        totalSize += nodes[place].entry.size - size
        if place != newest {
            takeFromList(place)
            appendToList(place)
        }
        mark(place, unwritten)
    }

    mutating func reserve(_ count: Int) {
        nodes.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    // MARK: Order

    /// The entries from the least to the most recently used.
    var entries: some Sequence<DiskEntry> {
        sequence(state: oldest) { place -> DiskEntry? in
            guard place != Self.end else { return nil }
            defer { place = nodes[place].newer }
            return nodes[place].entry
        }
    }

    private mutating func appendToList(_ place: Int) {
        uses += 1
        nodes[place].lastUse = uses
        nodes[place].older = newest
        nodes[place].newer = Self.end
        if newest == Self.end { oldest = place } else { nodes[newest].newer = place }
        newest = place
    }

    private mutating func takeFromList(_ place: Int) {
        let older = nodes[place].older
        let newer = nodes[place].newer
        if older == Self.end { oldest = newer } else { nodes[older].newer = newer }
        if newer == Self.end { newest = older } else { nodes[newer].older = older }
    }

    // MARK: What the log lacks

    private mutating func mark(_ place: Int, _ kind: Unwritten) {
        guard kind.rawValue > nodes[place].unwritten.rawValue else { return }
        if nodes[place].unwritten == .nothing { unwritten.append(place) }
        nodes[place].unwritten = kind
    }

    /// The records that the log lacks, in the order of use; they count as written now.
    mutating func takeUnwritten() -> [LogRecord] {
        let places = unwritten.filter { nodes[$0].unwritten != .nothing }
        unwritten = []
        let records = Set(places)
            .sorted { nodes[$0].lastUse < nodes[$1].lastUse }
            .map { place -> LogRecord in
                let entry = nodes[place].entry
                return nodes[place].unwritten == .everything
                    ? .stored(entry, temporary: 0)
                    : .used(
                        entry.name,
                        access: entry.access,
                        expiry: entry.expiry,
                        lifetime: entry.lifetime
                    )
            }
        for place in places { nodes[place].unwritten = .nothing }
        return records
    }

    // MARK: Comparing with the folder

    /// Notes that the folder has a file of this name; returns whether it has an entry.
    mutating func confirm(_ name: String) -> Bool {
        guard let place = places[name] else { return false }
        nodes[place].isOnDisk = true
        return true
    }

    /// Removes the entries whose files were not confirmed, and forgets the confirmations.
    mutating func removeUnconfirmed() {
        for name in places.filter({ !nodes[$0.value].isOnDisk }).keys { remove(name) }
        for place in places.values { nodes[place].isOnDisk = false }
    }
}

import Foundation

/// The entries of a disk store by name and by last access, with their totals.
///
/// There is an entry for each file, so entries are small: about a hundred bytes plus the key. The
/// numbers are in an array whose elements form a linked list from the least to the most recently
/// used; the names and keys are in a separate buffer. Every operation costs O(1), amortised.
struct DiskIndex: Sendable {
    /// The part of an entry that the log lacks.
    enum Unwritten: UInt8 {
        case nothing
        case access
        case everything
    }

    // There is no entry at this place, so it ends the list on both sides.
    private static let end: Int32 = -1

    private var nodes: ContiguousArray<DiskNode> = []
    private var texts = DiskTexts()
    private var places = HashIndex()
    private var files = DiskFiles()
    private var free: ContiguousArray<Int32> = []
    private var oldest = end
    private var newest = end
    /// The places whose files were found while the folder is compared with the index.
    private var confirmed = BitSet()

    private(set) var count = 0
    /// The number of entries whose current state is not in the log.
    private(set) var unwrittenCount = 0
    /// The time of the first access that is not in the log.
    private var firstUnwritten = TimeInterval.infinity
    /// The total size in bytes: that of the files, where one that entries share counts once, and
    /// the counted part of what the names take.
    var totalSize: Int { files.totalSize &+ names.counted }
    private var names = NameSizes()
    /// The size of the log after rewriting it, in bytes.
    var liveLogSize: Int { names.log + absences.size }
    /// Why names have no entry.
    var absences = DiskAbsences()

    /// The number of places for entries, including unused ones.
    var capacity: Int { nodes.count }

    subscript(name: String) -> DiskEntry? { place(of: name).map { entry(at: $0, named: name) } }

    /// The expiration of an entry; cheaper than reading the whole entry.
    func expiry(of name: String, _ division: KeyDivision = .any) -> TimeInterval? {
        place(of: name).flatMap {
            nodes[$0].division.matches(division) ? nodes[$0].expiry : nil
        }
    }

    func contains(_ name: String) -> Bool { place(of: name) != nil }

    /// Adds an entry as the most recently used one, replacing an earlier one of its name.
    mutating func put(_ entry: DiskEntry, unwritten: Unwritten = .nothing) {
        absences.remove(entry.name)
        if let place = place(of: entry.name) {
            if texts.hasKey(entry.key, at: nodes[place].text) {
                change(place, to: entry)
                unmark(place)
                mark(place, unwritten)
                moveToEnd(place)
                return
            }
            remove(entry.name)
        }
        let text = texts.append(name: entry.name, key: entry.key)
        let node = DiskNode(entry, text: text)
        let place: Int
        if let reused = free.popLast() {
            place = Int(reused)
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places.insert(texts.hash(at: text), place: place)
        appendToList(place)
        count += 1
        files.add(place, in: &nodes)
        names += nameSizes(at: place)
        mark(place, unwritten)
    }

    @discardableResult
    mutating func remove(_ name: String) -> DiskEntry? {
        absences.remove(name)
        guard let place = place(of: name) else { return nil }
        let removed = entry(at: place, named: name)
        let text = nodes[place].text
        places.remove(texts.hash(at: text), place: place)
        takeFromList(place)
        unmark(place)
        count -= 1
        files.remove(place, in: &nodes)
        names -= nameSizes(at: place)
        free.append(Int32(place))
        texts.remove(text)
        if texts.isMostlyGarbage { packTexts() }
        return removed
    }

    /// Changes an entry, except its name and key, and makes it the most recently used one.
    ///
    /// No effect if there is no entry of the name, or if `change` returns false.
    mutating func use(_ name: String, unwritten: Unwritten, change: (inout DiskEntry) -> Bool) {
        guard let place = place(of: name) else { return }
        // Without the key, to avoid copying it.
        var entry = entry(at: place, named: name, key: "")
        guard change(&entry) else { return }
        self.change(place, to: entry)
        moveToEnd(place)
        mark(place, unwritten)
        // A shared file is opened by a name that probably remains long.
        if nodes[place].sharesFile { files.offer(place, of: nodes[place].file) }
    }

    /// Reserves memory for the entries of a log of `logSize` bytes.
    mutating func reserve(logSize: Int) {
        // A record takes 180 bytes or more, about half of it texts. Unused memory is not touched.
        nodes.reserveCapacity(logSize / 180)
        texts.reserve(logSize / 2)
        files.reserve(logSize / 180)
    }

    // MARK: Metadata

    /// Records the place of an entry's metadata, if the checksum of the bytes matches.
    mutating func describe(
        _ name: String,
        by metadata: LogPlace,
        if isRight: (_ checksum: UInt64) -> Bool
    ) {
        guard let place = place(of: name), isRight(nodes[place].checksum) else { return }
        names.log += Int(metadata.count) - Int(nodes[place].metadata.count)
        nodes[place].metadata = metadata
    }

    // MARK: Order

    /// The entries from the least to the most recently used.
    var entries: some Sequence<DiskEntry> { placesByUse.lazy.map { entry(at: $0) } }

    private var placesByUse: some Sequence<Int> {
        sequence(state: oldest) { place -> Int? in
            guard place != Self.end else { return nil }
            defer { place = nodes[Int(place)].newer }
            return Int(place)
        }
    }

    /// The names of the entries that have expired, the least recently used first.
    func namesExpired(at now: TimeInterval) -> [String] {
        placesByUse.filter { nodes[$0].expiry <= now }.map { texts.name(at: nodes[$0].text) }
    }

    private mutating func moveToEnd(_ place: Int) {
        guard place != Int(newest) else { return }
        takeFromList(place)
        appendToList(place)
    }

    private mutating func appendToList(_ place: Int) {
        nodes[place].older = newest
        nodes[place].newer = Self.end
        if newest == Self.end {
            oldest = Int32(place)
        } else {
            nodes[Int(newest)].newer = Int32(place)
        }
        newest = Int32(place)
    }

    private mutating func takeFromList(_ place: Int) {
        let (older, newer) = (nodes[place].older, nodes[place].newer)
        if older == Self.end { oldest = newer } else { nodes[Int(older)].newer = newer }
        if newer == Self.end { newest = older } else { nodes[Int(newer)].older = older }
    }

    // MARK: Unwritten changes

    private mutating func mark(_ place: Int, _ kind: Unwritten) {
        if kind == .access { firstUnwritten = min(firstUnwritten, nodes[place].access) }
        guard kind.rawValue > nodes[place].unwritten.rawValue else { return }
        if nodes[place].unwritten == .nothing { unwrittenCount += 1 }
        nodes[place].unwritten = kind
    }

    private mutating func unmark(_ place: Int) {
        if nodes[place].unwritten != .nothing { unwrittenCount -= 1 }
        nodes[place].unwritten = .nothing
    }

    /// Whether unwritten changes are old or numerous enough to be written.
    ///
    /// Inlined, because a call may retain each part of the index.
    @inline(__always)
    func isFlushDue(at now: TimeInterval) -> Bool {
        // 512 records are 50 KB; a crash may lose half a minute of accesses.
        unwrittenCount >= 512 || now - firstUnwritten > 30
    }

    /// Returns the records that are missing in the log, in the order of use, and marks them as
    /// written.
    ///
    /// - Complexity: O(entries used since the last call).
    mutating func takeUnwritten() -> [LogRecord] {
        var records: [LogRecord] = []
        var place = newest
        // Unwritten entries were used recently, so they are at the end of the list.
        while unwrittenCount > 0, place != Self.end {
            if let record = unwrittenRecord(at: Int(place)) {
                records.append(record)
                unmark(Int(place))
            }
            place = nodes[Int(place)].older
        }
        firstUnwritten = .infinity
        records.reverse()
        return records
    }

    private func unwrittenRecord(at place: Int) -> LogRecord? {
        let node = nodes[place]
        switch node.unwritten {
        case .nothing: return nil
        case .everything: return .stored(entry(at: place), temporary: 0)
        case .access:
            return .used(
                texts.name(at: node.text),
                access: node.access,
                expiry: node.expiry,
                lifetime: node.lifetime
            )
        }
    }

    // MARK: Comparing with the folder

    /// Records that the folder has a file of this name; returns whether it has an entry.
    mutating func confirm(_ name: String) -> Bool {
        guard let place = place(of: name) else { return false }
        confirmed.insert(place)
        return true
    }

    /// Removes the entries whose files were not found, and clears the confirmations.
    mutating func removeUnconfirmed() {
        let missing = placesByUse.filter { !confirmed.contains($0) }
        let names = missing.map { texts.name(at: nodes[$0].text) }
        confirmed = BitSet()
        for name in names { remove(name) }
    }

    // MARK: Files

    /// The name of an entry whose file may have the same bytes, the last one stored or read.
    func name(withChecksum checksum: UInt64, size: Int) -> String? {
        files.place(withChecksum: checksum, size: size, in: nodes).map {
            texts.name(at: nodes[$0].text)
        }
    }

    /// Whether an entry would count as one of an existing file.
    func hasFile(of entry: DiskEntry) -> Bool {
        files.number(entry.checksum, entry.size, entry.modified, in: nodes) != nil
    }

    /// The names of the least recently used entries to remove.
    ///
    /// - Parameters:
    ///   - size: The total size to reach, in bytes.
    ///   - logSize: The live size of the log to reach, in bytes.
    ///   - other: The bytes in the folder that belong to no entry.
    ///   - spared: A name to keep.
    ///   - count: The most names to return.
    /// - Returns: The names, the least recently used first.
    func oldestNames(
        downTo size: Int,
        logSize: Int = .max,
        besides other: Int = 0,
        sparing spared: String?,
        atMost count: Int
    ) -> [String] {
        var chosen: [String] = []
        var (bytes, names) = (files.totalSize &+ other, self.names)
        // How many names of each shared file are removed; the last one frees its bytes.
        var removed: [Int32: Int] = [:]
        var next = oldest
        while next != Self.end, chosen.count < count,
            bytes &+ names.counted > size || names.log + absences.size > logSize
        {
            let place = Int(next)
            let node = nodes[place]
            next = node.newer
            let name = texts.name(at: node.text)
            if name == spared { continue }
            chosen.append(name)
            names -= nameSizes(at: place)
            removed[node.file, default: 0] += 1
            if node.sharesFile, removed[node.file] != files.nameCount(of: node.file) { continue }
            bytes &-= node.size
        }
        return chosen
    }

    /// Gives each entry a file of its own if the file that it shares has too few names.
    ///
    /// - Parameter hasNames: Whether the file of a name has at least that number of names.
    mutating func separate(unless hasNames: (_ name: String, _ count: Int) -> Bool) {
        var checked: [Int32: Bool] = [:]
        for place in nodes.indices where nodes[place].sharesFile {
            let (file, text) = (nodes[place].file, nodes[place].text)
            let isShared =
                checked[file] ?? hasNames(texts.name(at: text), files.nameCount(of: file))
            checked[file] = isShared
            if !isShared { files.separate(place, in: &nodes) }
        }
    }

    // MARK: Places

    private func place(of name: String) -> Int? {
        // The closures retain these two, and not all parts of the index.
        let (places, nodes) = (places, nodes)
        return texts.withName(name) { hash, isAt in
            places.place(of: hash) { isAt(nodes[$0].text) }
        }
    }

    private func entry(
        at place: Int,
        named name: String? = nil,
        key: String? = nil
    ) -> DiskEntry {
        let node = nodes[place]
        return DiskEntry(
            name: name ?? texts.name(at: node.text),
            key: key ?? texts.key(at: node.text),
            size: node.size,
            checksum: node.checksum,
            modified: node.modified,
            access: node.access,
            expiry: node.expiry,
            lifetime: node.lifetime,
            metadata: node.metadata,
            division: node.division
        )
    }

    private mutating func change(_ place: Int, to entry: DiskEntry) {
        names -= nameSizes(at: place)
        nodes[place].metadata = entry.metadata
        nodes[place].division = entry.division
        names += nameSizes(at: place)
        if !nodes[place].hasFile(entry.checksum, entry.size, entry.modified) {
            files.remove(place, in: &nodes)
            nodes[place].size = entry.size
            nodes[place].checksum = entry.checksum
            nodes[place].modified = entry.modified
            files.add(place, in: &nodes)
        }
        nodes[place].access = entry.access
        nodes[place].expiry = entry.expiry
        nodes[place].lifetime = entry.lifetime
    }

    private func nameSizes(at place: Int) -> NameSizes {
        let node = nodes[place]
        let length = texts.nameLength(at: node.text)
        let record = LogRecord.size(
            nameCount: length,
            keyCount: node.text.keyCount,
            node.division
        )
        // ext4 and XFS add 8 to 24 bytes to the text of a name.
        return NameSizes(log: record + Int(node.metadata.count), folder: 24 + length)
    }

    /// Removes the texts of removed entries.
    private mutating func packTexts() {
        var packed = texts.successor
        var place = oldest
        while place != Self.end {
            nodes[Int(place)].text = packed.append(nodes[Int(place)].text, of: texts)
            place = nodes[Int(place)].newer
        }
        texts = packed
    }
}

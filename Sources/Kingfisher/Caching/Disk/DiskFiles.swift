import Foundation

/// The files of a disk index: their total size, and which entries share one.
///
/// A file with one name has the number of its entry's place; a shared one has a negative number.
struct DiskFiles: Sendable {
    typealias Nodes = ContiguousArray<DiskNode>

    /// The number in an entry whose file has one name.
    static let none: Int32 = 0
    /// The names that a file gets at most; file systems allow at least 1,023.
    static let maximalNames = 1_000

    private struct Shared: Sendable {
        let size: Int
        let checksum: UInt64
        let modified: Int64
        var names: Int
        /// The place of the entry that was stored or read last; nil once it was removed.
        var place: Int32?
    }

    /// In bytes; a file with several names counts once.
    private(set) var totalSize = 0
    private var table = ChecksumTable()
    /// The shared files; that of the number -1 is the first.
    private var shared: ContiguousArray<Shared> = []
    private var free: ContiguousArray<Int32> = []

    private static func index(_ number: Int32) -> Int { -1 - Int(number) }

    /// Makes room in an empty table for a number of files.
    mutating func reserve(_ count: Int) { table.reserve(count) }

    /// The number of names of a shared file.
    func nameCount(of number: Int32) -> Int { shared[Self.index(number)].names }

    /// The place of an entry whose file may have the same bytes, and may have a further name.
    func place(withChecksum checksum: UInt64, size: Int, in nodes: Nodes) -> Int? {
        let number = table.number(of: checksum) { number in
            guard number < 0 else {
                return nodes[Int(number)].checksum == checksum && nodes[Int(number)].size == size
            }
            let file = shared[Self.index(number)]
            return file.checksum == checksum && file.size == size && file.place != nil
                && file.names < Self.maximalNames
        }
        guard let number else { return nil }
        return number < 0 ? shared[Self.index(number)].place.map(Int.init) : Int(number)
    }

    /// The number of the file with these properties; each has others.
    func number(
        _ checksum: UInt64,
        _ size: Int,
        _ modified: Int64,
        in nodes: Nodes
    ) -> Int32? {
        table.number(of: checksum) { number in
            guard number < 0 else {
                return nodes[Int(number)].hasFile(checksum, size, modified)
            }
            let file = shared[Self.index(number)]
            return file.checksum == checksum && file.size == size && file.modified == modified
        }
    }

    /// Adds the file of an entry, unless another entry shares it.
    mutating func add(_ place: Int, in nodes: inout Nodes) {
        let node = nodes[place]
        guard let number = number(node.checksum, node.size, node.modified, in: nodes) else {
            // Sizes may come from a hostile log; wrapping then gives a wrong sum instead of a trap.
            totalSize &+= node.size
            return insert(Int32(place), node.checksum, nodes)
        }
        let file = number < 0 ? number : share(Int(number), in: &nodes)
        nodes[place].file = file
        shared[Self.index(file)].names += 1
        shared[Self.index(file)].place = Int32(place)
    }

    /// Makes the file of an entry a shared one, and returns its number.
    private mutating func share(_ place: Int, in nodes: inout Nodes) -> Int32 {
        let node = nodes[place]
        let file = Shared(
            size: node.size,
            checksum: node.checksum,
            modified: node.modified,
            names: 1
        )
        let number: Int32
        if let reused = free.popLast() {
            number = reused
            shared[Self.index(number)] = file
        } else {
            shared.append(file)
            number = -Int32(shared.count)
        }
        nodes[place].file = number
        table.replace(Int32(place), by: number, node.checksum)
        return number
    }

    /// Removes an entry, and its file with its last name.
    mutating func remove(_ place: Int, in nodes: inout Nodes) {
        let node = nodes[place]
        nodes[place].file = Self.none
        var number = Int32(place)
        if node.sharesFile {
            number = node.file
            let index = Self.index(number)
            shared[index].names -= 1
            if shared[index].place == Int32(place) { shared[index].place = nil }
            guard shared[index].names == 0 else { return }
            free.append(number)
        }
        totalSize &-= node.size
        let shared = shared
        table.remove(number, node.checksum) { Self.checksum(of: $0, shared, nodes) }
    }

    /// Gives an entry a file of its own, which is not shared.
    mutating func separate(_ place: Int, in nodes: inout Nodes) {
        remove(place, in: &nodes)
        totalSize &+= nodes[place].size
    }

    /// Makes an entry the one whose shared file new entries with the same bytes open.
    mutating func offer(_ place: Int, of file: Int32) {
        shared[Self.index(file)].place = Int32(place)
    }

    private mutating func insert(_ number: Int32, _ checksum: UInt64, _ nodes: Nodes) {
        let shared = shared
        table.insert(number, checksum) { Self.checksum(of: $0, shared, nodes) }
    }

    private static func checksum(
        of number: Int32,
        _ shared: ContiguousArray<Shared>,
        _ nodes: Nodes
    ) -> UInt64 {
        number < 0 ? shared[index(number)].checksum : nodes[Int(number)].checksum
    }
}

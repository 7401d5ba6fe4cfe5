/// Maps hashes to positions in an array of the caller.
///
/// Open addressing with linear probing, at most half full. A lookup touches one cache line, whereas
/// a `Dictionary` would hash again. The index stores half of each hash and no keys, so the caller
/// compares the keys.
struct HashIndex {
    private struct Cell {
        var hash: UInt32
        /// Less than 0 if the cell is empty.
        var place: Int32
    }

    private var cells = ContiguousArray(repeating: Cell(hash: 0, place: -1), count: 8)
    private var count = 0

    // The lowest four bits select the shard, so they are not used here.
    @inline(__always)
    private static func part(_ hash: Int) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 4) }

    @inline(__always)
    private func home(_ part: UInt32) -> Int { Int(part) & (cells.count &- 1) }

    /// Returns the position with this hash that satisfies `isRight`.
    @inline(__always)
    func place(of hash: Int, where isRight: (Int) -> Bool) -> Int? {
        let part = Self.part(hash)
        return cells.withUnsafeBufferPointer { cells in
            var cell = Int(part) & (cells.count &- 1)
            while cells[cell].place >= 0 {
                if cells[cell].hash == part, isRight(Int(cells[cell].place)) {
                    return Int(cells[cell].place)
                }
                cell = (cell &+ 1) & (cells.count &- 1)
            }
            return nil
        }
    }

    mutating func insert(_ hash: Int, place: Int) {
        if 2 * (count + 1) > cells.count { grow() }
        put(Cell(hash: Self.part(hash), place: Int32(place)))
        count += 1
    }

    /// Records that an element moved to another position.
    mutating func move(_ hash: Int, from place: Int, to other: Int) {
        cells[cell(of: Self.part(hash), place: place)].place = Int32(other)
    }

    mutating func remove(_ hash: Int, place: Int) {
        var hole = cell(of: Self.part(hash), place: place)
        var next = hole
        while true {
            cells[hole].place = -1
            // Moves up an element that a lookup would no longer reach across the hole.
            repeat {
                next = (next + 1) & (cells.count - 1)
                if cells[next].place < 0 {
                    count -= 1
                    return
                }
            } while distance(from: home(cells[next].hash), to: next)
                < distance(from: hole, to: next)
            cells[hole] = cells[next]
            hole = next
        }
    }

    private func distance(from: Int, to: Int) -> Int { (to - from) & (cells.count - 1) }

    private func cell(of part: UInt32, place: Int) -> Int {
        var cell = home(part)
        while cells[cell].hash != part || cells[cell].place != place {
            precondition(cells[cell].place >= 0, "the position is not in the index")
            cell = (cell + 1) & (cells.count - 1)
        }
        return cell
    }

    private mutating func put(_ new: Cell) {
        var cell = home(new.hash)
        while cells[cell].place >= 0 { cell = (cell + 1) & (cells.count - 1) }
        cells[cell] = new
    }

    private mutating func grow() {
        let old = cells
        cells = ContiguousArray(repeating: Cell(hash: 0, place: -1), count: old.count * 2)
        for cell in old where cell.place >= 0 { put(cell) }
    }
}

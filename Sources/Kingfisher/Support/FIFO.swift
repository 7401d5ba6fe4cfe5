/// A first-in, first-out queue; both ends cost O(1).
///
/// The elements are in chunks, so that no operation moves more than one chunk, however long the
/// queue is: queues of a million elements are used under locks.
struct FIFO<Element> {
    typealias Chunk = ContiguousArray<Element?>

    private static var chunkSize: Int { 512 }

    // None is empty, unless it is the only one.
    private var chunks: [Chunk] = []
    /// The elements that were taken from the first chunk.
    private var head = 0
    /// The next chunk to sweep.
    private var hand = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : chunks[0][head] }

    mutating func append(_ element: Element) {
        count += 1
        if let last = chunks.last, last.count < Self.chunkSize {
            chunks[chunks.count - 1].append(element)
        } else {
            chunks.append([element])
        }
    }

    mutating func popFirst() -> Element? {
        var dropped: [Chunk] = []
        return popFirst(&dropped)
    }

    /// As above, and hands on memory that is no longer needed, for the caller to release.
    ///
    /// That may take tens of milliseconds, in which the allocator joins what was released before,
    /// so it has to happen outside locks.
    mutating func popFirst(_ dropped: inout [Chunk]) -> Element? {
        guard count > 0 else { return nil }
        let first = chunks[0][head]
        chunks[0][head] = nil
        head += 1
        count -= 1
        if head == chunks[0].count { dropFirstChunk(&dropped) }
        return first
    }

    /// Removes the newest element; hands on memory as above.
    mutating func popLast(_ dropped: inout [Chunk]) -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        let last = chunks[chunks.count - 1].removeLast()
        if chunks.count == 1 {
            if chunks[0].count == head { dropFirstChunk(&dropped) }
        } else if chunks[chunks.count - 1].isEmpty {
            dropped.append(chunks.removeLast())
        }
        return last
    }

    private mutating func dropFirstChunk(_ dropped: inout [Chunk]) {
        head = 0
        if chunks.count > 1 {
            dropped.append(chunks.removeFirst())
            hand = max(hand - 1, 0)
        } else {
            chunks[0].removeAll(keepingCapacity: true)
        }
    }

    /// Removes elements from one chunk, the next one in each call; hands on memory as above.
    mutating func sweepChunk(_ dropped: inout [Chunk], where isGone: (Element) -> Bool) {
        guard count > 0 else { return }
        if hand >= chunks.count { hand = 0 }
        let skipped = hand == 0 ? head : 0
        let before = chunks[hand].count - skipped
        chunks[hand].removeFirst(skipped)
        if hand == 0 { head = 0 }
        chunks[hand].removeAll { element in element.map(isGone) ?? true }
        count -= before - chunks[hand].count
        // Joined with the chunk before, so that few elements do not keep many chunks.
        if hand > 0, chunks[hand - 1].count + chunks[hand].count <= Self.chunkSize {
            let rest = chunks.remove(at: hand)
            chunks[hand - 1].append(contentsOf: rest)
            dropped.append(rest)
        } else if chunks[hand].isEmpty, chunks.count > 1 {
            dropped.append(chunks.remove(at: hand))
        } else {
            hand += 1
        }
    }

    mutating func removeAll() { self = FIFO() }
}

extension FIFO: Sendable where Element: Sendable {}

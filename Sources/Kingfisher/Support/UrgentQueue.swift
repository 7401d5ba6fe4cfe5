/// A queue ordered by priority, and by arrival within one priority.
struct UrgentQueue<Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        var priority: Float
        let number: UInt64
        let element: Element
    }

    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    /// Adds an element.
    ///
    /// - Returns: The element's number in this queue.
    mutating func insert(_ element: Element, priority: Float) -> UInt64 {
        lastNumber += 1
        insert(Entry(priority: priority, number: lastNumber, element: element))
        return lastNumber
    }

    /// Removes and returns the next element.
    mutating func next() -> Element? { entries.popLast()?.element }

    /// Removes and returns an element if it is still in the queue.
    mutating func remove(_ number: UInt64) -> Element? {
        entries.firstIndex { $0.number == number }.map { entries.remove(at: $0).element }
    }

    /// Raises the priority of an element if it is still in the queue with a lower one.
    mutating func raise(_ number: UInt64, to priority: Float) {
        guard let index = entries.firstIndex(where: { $0.number == number }),
            entries[index].priority < priority
        else { return }
        var entry = entries.remove(at: index)
        entry.priority = priority
        insert(entry)
    }

    private mutating func insert(_ entry: Entry) {
        let index = entries.firstIndex { $0.priority > entry.priority } ?? entries.endIndex
        // Sorted by rising priority, and within one priority newest first, so that the next element
        // is the last.
        let place = entries[..<index].firstIndex { $0.priority == entry.priority } ?? index
        entries.insert(entry, at: place)
    }
}

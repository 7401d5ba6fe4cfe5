/// A queue ordered by priority, and by arrival within one priority.
///
/// Each operation takes O(log n), so that thousands may wait.
struct UrgentQueue<Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        var priority: Float
        let element: Element
    }

    /// The place of an entry in the queue.
    private struct Place: Comparable, Sendable {
        let priority: Float
        let number: UInt64

        static func < (one: Place, other: Place) -> Bool {
            one.priority == other.priority
                ? one.number < other.number : one.priority > other.priority
        }
    }

    /// The entries by number; an entry is in the queue as long as it is here.
    private var entries: [UInt64: Entry] = [:]
    /// Also contains places of entries that were removed or raised; ``next()`` skips them.
    private var places = Heap<Place>()
    private var lastNumber: UInt64 = 0

    /// Adds an element.
    ///
    /// - Returns: The element's number in this queue.
    mutating func insert(_ element: Element, priority: Float) -> UInt64 {
        lastNumber += 1
        // A priority that cannot be compared would break the order.
        put(Entry(priority: priority.isNaN ? 0 : priority, element: element), at: lastNumber)
        return lastNumber
    }

    /// Removes and returns the next element.
    mutating func next() -> Element? {
        while let place = places.removeFirst() {
            guard entries[place.number]?.priority == place.priority else { continue }
            return entries.removeValue(forKey: place.number)?.element
        }
        return nil
    }

    /// Removes and returns an element if it is still in the queue.
    mutating func remove(_ number: UInt64) -> Element? {
        guard let entry = entries.removeValue(forKey: number) else { return nil }
        removeOldPlaces()
        return entry.element
    }

    /// Raises the priority of an element if it is still in the queue with a lower one.
    mutating func raise(_ number: UInt64, to priority: Float) {
        guard var entry = entries[number], entry.priority < priority else { return }
        entry.priority = priority
        put(entry, at: number)
        removeOldPlaces()
    }

    private mutating func put(_ entry: Entry, at number: UInt64) {
        entries[number] = entry
        places.insert(Place(priority: entry.priority, number: number))
    }

    /// Keeps the heap at most twice as large as the queue.
    private mutating func removeOldPlaces() {
        guard places.count > 2 * entries.count + 16 else { return }
        places.keep { [entries] in entries[$0.number]?.priority == $0.priority }
    }
}

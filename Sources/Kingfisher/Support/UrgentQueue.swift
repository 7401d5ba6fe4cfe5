import Synchronization

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
    /// Also contains places of entries that were removed or moved; ``next()`` skips them.
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

    /// Changes the priority of an element if it is still in the queue.
    mutating func move(_ number: UInt64, to priority: Float) {
        guard var entry = entries[number], !priority.isNaN, entry.priority != priority else {
            return
        }
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

/// A binary heap with the least element first.
struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    var first: Element? { elements.first }

    var count: Int { elements.count }

    /// Adds an element, in O(log n).
    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the least element, in O(log n).
    mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        sink(0)
        return first
    }

    /// Removes the elements that do not satisfy `isKept`, in O(n).
    mutating func keep(where isKept: (Element) -> Bool) {
        elements.removeAll { !isKept($0) }
        for index in (0..<(elements.count / 2)).reversed() { sink(index) }
    }

    private mutating func sink(_ index: Int) {
        var parent = index
        while true {
            var least = parent
            for child in (2 * parent + 1)..<(2 * parent + 3) where child < elements.count {
                if elements[child] < elements[least] { least = child }
            }
            guard least != parent else { return }
            elements.swapAt(parent, least)
            parent = least
        }
    }
}

extension Heap: Sendable where Element: Sendable {}

/// The urgency of shared work: the highest priority of its callers.
///
/// When the last caller leaves, the priority stays.
final class Urgency: Sendable {
    private struct State: Sendable {
        var priority: Float
        var listener: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// - Parameter priority: 0 (last) … 1 (first).
    init(_ priority: Float = 0.5) {
        state = Mutex(State(priority: priority))
    }

    var priority: Float { state.withLock { $0.priority } }

    /// Changes the priority to the result of `priority`, unless that is nil, and notifies the
    /// listener of a change.
    ///
    /// Computed under the lock, so that the last of several concurrent changes is not lost.
    func change(to priority: () -> Float?) {
        let listener = state.withLock { state -> (@Sendable () -> Void)? in
            guard let new = priority(), new != state.priority else { return nil }
            state.priority = new
            return state.listener
        }
        listener?()
    }

    /// Calls `listener` now and whenever the priority changes; replaces the previous listener.
    ///
    /// Changes may overlap, so the listener reads the priority itself.
    func follow(_ listener: (@Sendable () -> Void)?) {
        state.change { $0.listener = listener }
        listener?()
    }
}

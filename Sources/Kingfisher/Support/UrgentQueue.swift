import Synchronization

/// A queue ordered by priority, by turns among the owners of equally urgent elements, and by arrival
/// within one owner.
///
/// Each operation takes O(log n) and O(owners), so that thousands may wait.
struct UrgentQueue<Element: Sendable>: Sendable {
    /// The part of a program that elements belong to; those without one belong together.
    typealias Owner = ObjectIdentifier?

    private struct Entry: Sendable {
        var priority: Float
        let owner: Owner
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

    /// The elements of one owner.
    private struct Line: Sendable {
        var places = Heap<Place>()
        /// The turn in which an element was last taken.
        var lastTurn: UInt64 = 0
    }

    /// Of how many turns one belongs to an element that is not the most urgent; nil for none.
    private let patience: UInt64?
    /// The entries by number; an entry is in the queue as long as it is here.
    private var entries: [UInt64: Entry] = [:]
    /// Also contains places of entries that were removed or moved; ``next()`` skips them.
    private var lines: [Owner: Line] = [:]
    /// The numbers in order of arrival; removed ones are skipped.
    private var arrivals = FIFO<UInt64>()
    /// The numbers of entries that arrived while there was a more urgent one; removed ones are
    /// skipped.
    private var passed = Heap<UInt64>()
    /// At least the number of places in all lines.
    private var placeCount = 0
    private var lastNumber: UInt64 = 0
    /// The number of the last turn: each call of ``next()`` is one.
    private var turn: UInt64 = 0

    /// Makes an empty queue.
    ///
    /// - Parameter patience: With a number *n*, every *n*th turn belongs to the element that has
    ///   waited longest, or longest behind more urgent ones. It must be even.
    init(patience: UInt64? = nil) { self.patience = patience }

    /// Adds an element.
    ///
    /// - Returns: The element's number in this queue.
    mutating func insert(
        _ element: Element,
        priority: Float,
        owner: Owner = nil
    ) -> UInt64 {
        lastNumber += 1
        // A priority that cannot be compared would break the order.
        let priority = priority.isNaN ? 0 : priority
        if patience != nil {
            arrivals.append(lastNumber)
            if let best = best(), best.place.priority > priority { passed.insert(lastNumber) }
        }
        put(Entry(priority: priority, owner: owner, element: element), at: lastNumber)
        return lastNumber
    }

    /// Removes and returns the next element.
    mutating func next() -> Element? {
        turn += 1
        if let patience, turn % patience == 0, let number = longestWaiting(turn / patience) {
            return take(number)
        }
        guard let best = best() else { return nil }
        lines[best.owner]?.lastTurn = turn
        return take(best.place.number)
    }

    /// Removes and returns an element if it is still in the queue.
    mutating func remove(_ number: UInt64) -> Element? { take(number) }

    /// Changes the priority of an element if it is still in the queue.
    mutating func move(_ number: UInt64, to priority: Float) {
        guard var entry = entries[number], !priority.isNaN, entry.priority != priority else {
            return
        }
        if patience != nil, priority < entry.priority { passed.insert(number) }
        entry.priority = priority
        put(entry, at: number)
        removeOldPlaces()
    }

    private mutating func put(_ entry: Entry, at number: UInt64) {
        entries[number] = entry
        placeCount += 1
        lines[entry.owner, default: Line()].places
            .insert(Place(priority: entry.priority, number: number))
    }

    private mutating func take(_ number: UInt64) -> Element? {
        guard let entry = entries.removeValue(forKey: number) else { return nil }
        removeOldPlaces()
        return entry.element
    }

    /// The most urgent entry; of equally urgent ones, that of the owner whose turn was longest ago.
    private mutating func best() -> (owner: Owner, place: Place)? {
        var best: (owner: Owner, place: Place, lastTurn: UInt64)?
        // A copy, because a loop over the keys would share the lines, which change here.
        for owner in Array(lines.keys) {
            guard let place = first(of: owner), let lastTurn = lines[owner]?.lastTurn else {
                continue
            }
            if let best, best.place.priority > place.priority { continue }
            if let best, best.place.priority == place.priority,
                (best.lastTurn, best.place.number) < (lastTurn, place.number)
            {
                continue
            }
            best = (owner, place, lastTurn)
        }
        return best.map { ($0.owner, $0.place) }
    }

    /// The most urgent entry of an owner; forgets the owner if there is none.
    private mutating func first(of owner: Owner) -> Place? {
        while let place = lines[owner]?.places.first {
            if entries[place.number]?.priority == place.priority { return place }
            _ = lines[owner]?.places.removeFirst()
            placeCount -= 1
        }
        lines[owner] = nil
        return nil
    }

    /// Alternately the entry that arrived first, and the first of those that found a more urgent
    /// one.
    private mutating func longestWaiting(_ count: UInt64) -> UInt64? {
        if count % 2 == 0 {
            while let number = passed.first {
                if entries[number] != nil { return number }
                _ = passed.removeFirst()
            }
        }
        while let number = arrivals.first {
            if entries[number] != nil { return number }
            _ = arrivals.popFirst()
        }
        return nil
    }

    /// Keeps each part at most about twice as large as the queue.
    private mutating func removeOldPlaces() {
        let most = 2 * entries.count + 16
        if passed.count > most { passed.keep { [entries] in entries[$0] != nil } }
        if arrivals.count > most {
            arrivals = FIFO()
            for number in entries.keys.sorted() { arrivals.append(number) }
        }
        guard placeCount > most else { return }
        for owner in Array(lines.keys) {
            lines[owner]?.places.keep { [entries] in entries[$0.number]?.priority == $0.priority }
        }
        placeCount = lines.values.reduce(0) { $0 + $1.places.count }
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

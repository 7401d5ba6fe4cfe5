/// Values that belong to objects of other people's classes, keyed by the object's identity.
///
/// A value goes away with its object: keys are weak, and a new object at the address of a dead one
/// finds nothing. What dead objects leave behind is swept when the table has doubled since the last
/// sweep, so that an access costs O(1) on average.
@MainActor
package final class SideTable<Value> {
    private struct Entry {
        weak var object: AnyObject?
        var value: Value
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    // Below 32 entries a sweep frees less than it costs.
    private var sweepsAt = 32

    /// Makes an empty table.
    package init() {}

    /// The number of values kept, those of dead objects that were not swept yet included.
    package var count: Int { entries.count }

    /// The value of an object; nil removes it.
    package subscript(object: AnyObject) -> Value? {
        get {
            guard let entry = entries[ObjectIdentifier(object)], entry.object === object else {
                return nil
            }
            return entry.value
        }
        set {
            entries[ObjectIdentifier(object)] = newValue.map { Entry(object: object, value: $0) }
            if entries.count >= sweepsAt { sweep() }
        }
    }

    /// The value of an object, made when there is none.
    package func value(of object: AnyObject, orMake make: () -> Value) -> Value {
        if let value = self[object] { return value }
        let value = make()
        self[object] = value
        return value
    }

    /// Frees the values of dead objects now.
    package func sweep() {
        entries = entries.filter { $0.value.object != nil }
        sweepsAt = max(32, entries.count * 2)
    }
}

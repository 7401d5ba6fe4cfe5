/// Values attached to objects of other classes, keyed by the object's identity.
///
/// A value's lifetime ends with its object: references are weak, and a new object at the same
/// address finds nothing. Entries of deallocated objects are removed when the table has doubled
/// since the last sweep, so that an access costs O(1) on average.
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

    /// The number of entries, including those of deallocated objects not yet removed.
    package var count: Int { entries.count }

    /// The value of an object; setting nil removes it.
    package subscript(object: AnyObject) -> Value? {
        get {
            guard let entry = entries[ObjectIdentifier(object)], entry.object === object else {
                return nil
            }
            return entry.value
        }
        set {
            let id = ObjectIdentifier(object)
            let old = entries[id]
            entries[id] = newValue.map { Entry(object: object, value: $0) }
            if entries.count >= sweepsAt { sweep() }
            // Released after the change, because the deinit of a value may use the table.
            withExtendedLifetime(old) {}
        }
    }

    /// The value of an object; made on first use.
    package func value(of object: AnyObject, orMake make: () -> Value) -> Value {
        if let value = self[object] { return value }
        let value = make()
        self[object] = value
        return value
    }

    /// Removes the entries of deallocated objects now.
    package func sweep() {
        let old = entries
        entries = old.filter { $0.value.object != nil }
        sweepsAt = max(32, entries.count * 2)
        withExtendedLifetime(old) {}
    }
}

/// The clairvoyant policy: evicts the object whose next request is last (Belády, "A study of
/// replacement algorithms for a virtual-storage computer", 1966).
///
/// It is optimal for objects of one size. For several sizes the optimum cannot be computed in
/// practice, and this is the usual approximation. An object whose next request is later than those
/// of all objects it would evict is not stored.
struct BeladyPolicy: Policy {
    private struct Entry {
        let next: Int
        let object: Int32
    }

    let name = "Belady"
    private let capacity: Int
    private var used = 0
    private var now = 0
    /// For each request, the time of the next one for the same object.
    private let following: [Int]
    /// The time of each object's next request; -1 if it is not cached.
    private var next: [Int]
    private var sizes: [Int]
    /// A heap with the latest request at the root.
    ///
    /// Entries that do not match `next` are outdated.
    private var heap: [Entry] = []

    init(trace: Trace, capacity: Int) {
        self.capacity = capacity
        sizes = trace.sizes
        next = Array(repeating: -1, count: trace.sizes.count)
        var seen = Array(repeating: Int.max, count: trace.sizes.count)
        var following = Array(repeating: Int.max, count: trace.requests.count)
        for time in trace.requests.indices.reversed() {
            let object = Int(trace.requests[time])
            following[time] = seen[object]
            seen[object] = time
        }
        self.following = following
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        let isHit = next[Int(object)] >= 0
        let wanted = following[now]
        now += 1
        if !isHit {
            guard wanted < .max, size <= capacity else { return false }
            used += size
        }
        next[Int(object)] = wanted
        push(Entry(next: wanted, object: object))
        while used > capacity, let latest = pop() {
            guard next[Int(latest.object)] == latest.next else { continue }
            next[Int(latest.object)] = -1
            used -= sizes[Int(latest.object)]
        }
        return isHit
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var place = heap.count - 1
        while place > 0, heap[(place - 1) / 2].next < heap[place].next {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func pop() -> Entry? {
        guard let root = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return root }
        heap[0] = last
        var place = 0
        while true {
            var largest = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && heap[child].next > heap[largest].next { largest = child }
            if largest == place { return root }
            heap.swapAt(place, largest)
            place = largest
        }
    }
}

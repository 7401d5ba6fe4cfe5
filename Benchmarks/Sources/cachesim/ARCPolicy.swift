/// ARC, with bytes in place of pages (Megiddo and Modha, "ARC: a self-tuning, low overhead
/// replacement cache", 2003).
struct ARCPolicy: Policy {
    let name = "ARC"
    private let capacity: Int
    /// The bytes for objects that were requested once.
    private var target = 0
    private var once: Order
    private var often: Order
    private var evictedOnce: Order
    private var evictedOften: Order

    init(capacity: Int, objects: Int) {
        self.capacity = capacity
        once = Order(objects: objects)
        (often, evictedOnce, evictedOften) = (once, once, once)
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        if often.contains(object) {
            often.moveToEnd(object)
            return true
        }
        if once.contains(object) {
            often.append(object, size: once.remove(object))
            return true
        }
        guard size <= capacity else { return false }
        if evictedOnce.contains(object) {
            target = min(target + step(evictedOften, evictedOnce, size), capacity)
            evictedOnce.remove(object)
            makeRoom(for: size, prefersOnce: false)
            often.append(object, size: size)
        } else if evictedOften.contains(object) {
            target = max(target - step(evictedOnce, evictedOften, size), 0)
            evictedOften.remove(object)
            makeRoom(for: size, prefersOnce: true)
            often.append(object, size: size)
        } else {
            makeRoom(for: size, prefersOnce: false)
            once.append(object, size: size)
        }
        while once.bytes + evictedOnce.bytes > capacity, !evictedOnce.isEmpty {
            _ = evictedOnce.removeFirst()
        }
        while often.bytes + evictedOften.bytes + once.bytes + evictedOnce.bytes > 2 * capacity,
            !evictedOften.isEmpty
        { _ = evictedOften.removeFirst() }
        return false
    }

    private func step(_ other: Order, _ hit: Order, _ size: Int) -> Int {
        max(1, other.bytes / max(hit.bytes, 1)) * size
    }

    private mutating func makeRoom(for size: Int, prefersOnce: Bool) {
        while once.bytes + often.bytes + size > capacity {
            let isOnce = once.bytes > target || prefersOnce && once.bytes == target
            if !once.isEmpty, isOnce || often.isEmpty {
                let (object, size) = once.removeFirst()
                evictedOnce.append(object, size: size)
            } else {
                let (object, size) = often.removeFirst()
                evictedOften.append(object, size: size)
            }
        }
    }
}

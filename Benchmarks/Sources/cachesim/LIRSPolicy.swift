/// LIRS, with bytes in place of pages (Jiang and Zhang, "LIRS: an efficient low inter-reference
/// recency set replacement policy", 2002).
struct LIRSPolicy: Policy {
    let name = "LIRS"
    private let capacity: Int
    /// The bytes for objects with a low inter-reference recency.
    private let lowCapacity: Int
    private var isLow: [Bool]
    private var lowBytes = 0
    private var stack: Order
    private var queue: Order

    init(trace: Trace, capacity: Int) {
        self.capacity = capacity
        lowCapacity = capacity - max(capacity / 100, trace.sizes.max() ?? 0)
        isLow = Array(repeating: false, count: trace.sizes.count)
        stack = Order(objects: trace.sizes.count)
        queue = stack
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        if isLow[Int(object)] {
            stack.moveToEnd(object)
            prune()
            return true
        }
        let isHit = queue.contains(object)
        if !isHit {
            guard size <= capacity else { return false }
            while lowBytes + queue.bytes + size > capacity {
                if queue.isEmpty { demote() }
                _ = queue.removeFirst()
            }
        }
        let wasInStack = stack.contains(object)
        if wasInStack { stack.remove(object) }
        stack.append(object, size: size)
        if wasInStack || !isHit && lowBytes + size <= lowCapacity {
            if isHit { queue.remove(object) }
            isLow[Int(object)] = true
            lowBytes += size
            while lowBytes > max(lowCapacity, 0) { demote() }
        } else if isHit {
            queue.moveToEnd(object)
        } else {
            queue.append(object, size: size)
        }
        prune()
        return isHit
    }

    /// Moves the object at the bottom of the stack to the queue.
    private mutating func demote() {
        prune()
        let (object, size) = stack.removeFirst()
        isLow[Int(object)] = false
        lowBytes -= size
        queue.append(object, size: size)
        prune()
    }

    private mutating func prune() {
        while !stack.isEmpty, !isLow[Int(stack.first)] { _ = stack.removeFirst() }
    }
}

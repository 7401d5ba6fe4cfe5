/// W-TinyLFU with a window of 1 % and exact frequencies (Einziger, Friedman and Manes, "TinyLFU: a
/// highly efficient cache admission policy", 2017).
struct TinyLFUPolicy: Policy {
    let name = "W-TinyLFU"
    private let capacity: Int
    private let windowCapacity: Int
    private let sample: Int
    private var requests = 0
    private var frequencies: [UInt8]
    private var window: Order
    private var probation: Order
    private var protected: Order

    init(trace: Trace, capacity: Int) {
        self.capacity = capacity
        let count = trace.sizes.count
        let mean = max(trace.sizes.reduce(0, +) / count, 1)
        windowCapacity = max(capacity / 100, mean)
        sample = max(10 * capacity / mean, 10)
        frequencies = Array(repeating: 0, count: count)
        window = Order(objects: count)
        (probation, protected) = (window, window)
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        count(object)
        if window.contains(object) {
            window.moveToEnd(object)
            return true
        }
        if protected.contains(object) {
            protected.moveToEnd(object)
            return true
        }
        if probation.contains(object) {
            protected.append(object, size: probation.remove(object))
            while protected.bytes > (capacity - windowCapacity) / 5 * 4 {
                let (object, size) = protected.removeFirst()
                probation.append(object, size: size)
            }
            return true
        }
        guard size <= capacity else { return false }
        window.append(object, size: size)
        while window.bytes > windowCapacity { admit(window.removeFirst()) }
        return false
    }

    private mutating func count(_ object: Int32) {
        frequencies[Int(object)] = min(frequencies[Int(object)] + 1, 15)
        requests += 1
        guard requests >= sample else { return }
        requests /= 2
        for object in frequencies.indices { frequencies[object] /= 2 }
    }

    /// Stores an object if it was requested more often than each one it takes the place of.
    private mutating func admit(_ candidate: (object: Int32, size: Int)) {
        let most = capacity - windowCapacity
        while probation.bytes + protected.bytes + candidate.size > most {
            guard candidate.size <= most else { return }
            let isProbation = !probation.isEmpty
            let victim = isProbation ? probation.first : protected.first
            guard frequencies[Int(candidate.object)] > frequencies[Int(victim)] else { return }
            if isProbation { probation.remove(victim) } else { protected.remove(victim) }
        }
        probation.append(candidate.object, size: candidate.size)
    }
}

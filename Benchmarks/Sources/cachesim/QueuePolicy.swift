/// FIFO; or LRU if a hit moves the object to the end.
struct QueuePolicy: Policy {
    let name: String
    private let movesOnHit: Bool
    private let capacity: Int
    private var order: Order

    init(name: String, movesOnHit: Bool, capacity: Int, objects: Int) {
        self.name = name
        self.movesOnHit = movesOnHit
        self.capacity = capacity
        order = Order(objects: objects)
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        if order.contains(object) {
            if movesOnHit { order.moveToEnd(object) }
            return true
        }
        guard size <= capacity else { return false }
        while order.bytes + size > capacity { _ = order.removeFirst() }
        order.append(object, size: size)
        return false
    }
}

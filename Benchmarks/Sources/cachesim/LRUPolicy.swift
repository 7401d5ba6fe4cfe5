/// The least recently used object is removed first.
struct LRUPolicy: Policy {
    let name = "LRU"
    private let capacity: Int
    private var order: Order

    init(capacity: Int, objects: Int) {
        self.capacity = capacity
        order = Order(objects: objects)
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        if order.contains(object) {
            order.moveToEnd(object)
            return true
        }
        guard size <= capacity else { return false }
        while order.bytes + size > capacity { order.removeFirst() }
        order.append(object, size: size)
        return false
    }
}

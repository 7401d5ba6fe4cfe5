/// FIFO; or LRU if a hit moves the object to the end.
struct QueuePolicy: Policy {
    /// A place in the queue.
    ///
    /// The array is indexed by object, links are objects, -1 means none.
    private struct Link {
        var before: Int32 = -1
        var after: Int32 = -1
        var size = -1
    }

    let name: String
    private let movesOnHit: Bool
    private let capacity: Int
    private var used = 0
    private var links: [Link]
    private var first: Int32 = -1
    private var last: Int32 = -1

    init(name: String, movesOnHit: Bool, capacity: Int, objects: Int) {
        self.name = name
        self.movesOnHit = movesOnHit
        self.capacity = capacity
        links = Array(repeating: Link(), count: objects)
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        if links[Int(object)].size >= 0 {
            if movesOnHit {
                unlink(object)
                append(object)
            }
            return true
        }
        guard size <= capacity else { return false }
        while used + size > capacity {
            let oldest = first
            unlink(oldest)
            used -= links[Int(oldest)].size
            links[Int(oldest)].size = -1
        }
        links[Int(object)].size = size
        used += size
        append(object)
        return false
    }

    private mutating func append(_ object: Int32) {
        links[Int(object)].before = last
        links[Int(object)].after = -1
        if last >= 0 { links[Int(last)].after = object } else { first = object }
        last = object
    }

    private mutating func unlink(_ object: Int32) {
        let link = links[Int(object)]
        if link.before >= 0 {
            links[Int(link.before)].after = link.after
        } else {
            first = link.after
        }
        if link.after >= 0 {
            links[Int(link.after)].before = link.before
        } else {
            last = link.before
        }
    }
}

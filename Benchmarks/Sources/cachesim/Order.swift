/// Objects in an order, with the sum of their bytes.
struct Order {
    /// The array is indexed by object, links are objects, -1 means none.
    private struct Link {
        var before: Int32 = -1
        var after: Int32 = -1
        var size = -1
    }

    private var links: [Link]
    private var first: Int32 = -1
    private var last: Int32 = -1
    private(set) var bytes = 0

    init(objects: Int) {
        links = Array(repeating: Link(), count: objects)
    }

    func contains(_ object: Int32) -> Bool { links[Int(object)].size >= 0 }

    mutating func append(_ object: Int32, size: Int) {
        links[Int(object)] = Link(before: last, after: -1, size: size)
        if last >= 0 { links[Int(last)].after = object } else { first = object }
        last = object
        bytes += size
    }

    /// Removes an object that is contained, and returns its bytes.
    @discardableResult
    mutating func remove(_ object: Int32) -> Int {
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
        links[Int(object)].size = -1
        bytes -= link.size
        return link.size
    }

    mutating func removeFirst() { remove(first) }

    mutating func moveToEnd(_ object: Int32) { append(object, size: remove(object)) }
}

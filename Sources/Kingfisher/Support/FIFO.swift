/// A first-in, first-out queue; both ends cost O(1), amortised.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        // Half empty: the cost of moving the elements is amortised over the previous pops.
        if head > 32, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func removeAll(where isGone: (Element) -> Bool) {
        elements = elements[head...].filter { element in element.map { !isGone($0) } ?? false }
        head = 0
    }

    mutating func removeAll() {
        elements = []
        head = 0
    }
}

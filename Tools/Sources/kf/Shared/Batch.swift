/// Work on many items, some at a time.
enum Batch {
    /// Runs `work` on every item, on at most `width` of them at once, in their order.
    static func run<Item: Sendable>(
        _ items: [Item],
        width: Int,
        _ work: @escaping @Sendable (Item) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, item) in items.enumerated() {
                if index >= width { await group.next() }
                group.addTask { await work(item) }
            }
        }
    }
}

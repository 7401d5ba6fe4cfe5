/// Runs work on many items concurrently.
enum Batch {
    /// Runs `work` on every item in order, on at most `width` items at once.
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

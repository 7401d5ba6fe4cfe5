#if GTK
import Kingfisher

/// Decides what a list should have at hand next, and loads it into the caches.
final class ListPrefetch {
    private var visible: ClosedRange<Int>?
    private var running: [Int: DownloadTask] = [:]
    /// What was asked for since it was last out of sight, so that it is asked for once.
    private var asked: Set<Int> = []

    /// Takes note of what is visible and says what to load ahead.
    ///
    /// - Parameters:
    ///   - range: The positions on screen.
    ///   - count: How many items the list has.
    ///   - ahead: How many items to look ahead.
    /// - Returns: Positions, nearest first; none while the list stands still, or jumps further than
    ///   it shows, as it does when it is flung.
    func move(to range: ClosedRange<Int>, of count: Int, ahead: Int) -> [Int] {
        defer { visible = range }
        let after = range.upperBound + 1
        let downwards = Array(after..<max(after, min(count, after + ahead)))
        guard let before = visible else { return downwards }
        let moved = (range.lowerBound + range.upperBound) - (before.lowerBound + before.upperBound)
        guard moved != 0, range.overlaps(before) else { return [] }
        if moved > 0 { return downwards }
        return Array(max(0, range.lowerBound - ahead)..<range.lowerBound).reversed()
    }

    /// Loads positions that were not asked for yet, and withdraws from those no longer wanted.
    func load(
        _ positions: [Int],
        by manager: KingfisherManager,
        _ source: (Int) -> (source: Source, options: KingfisherOptionsInfo)?
    ) {
        let wanted = Set(positions)
        if !wanted.isEmpty {
            for (position, task) in running where !wanted.contains(position) {
                // What has come on screen meanwhile shares the download with its cell.
                if visible?.contains(position) != true { task.cancel() }
            }
            asked.formIntersection(wanted)
        }
        for position in positions where asked.insert(position).inserted {
            guard let (source, options) = source(position) else { continue }
            running[position] = manager.retrieveImage(with: source, options: options) {
                [weak self] _ in
                Task { @MainActor in self?.running[position] = nil }
            }
        }
    }
}
#endif

#if GTK
import Kingfisher

/// Decides what a list should have at hand next, and has it loaded into the caches.
///
/// What is wanted changes with every row that scrolls by, so each change begins a prefetcher of its
/// own for what is new, and stops those of which nothing is wanted any more.
final class ListPrefetch {
    private struct Batch {
        let positions: ClosedRange<Int>
        let prefetcher: ImagePrefetcher
    }

    private var visible: ClosedRange<Int>?
    private var batches: [Batch] = []
    /// What was asked for since it was last out of sight, so that it is asked for once.
    private var asked: Set<Int> = []

    /// Takes note of what is visible and says what to load ahead.
    ///
    /// - Parameters:
    ///   - range: The positions on screen.
    ///   - count: How many items the list has.
    ///   - ahead: How many items to look ahead.
    /// - Returns: Positions, nearest first; none if the list jumps further than it shows, as it does
    ///   when it is flung; nil if nothing has changed.
    func move(to range: ClosedRange<Int>, of count: Int, ahead: Int) -> [Int]? {
        let before = visible
        visible = range
        let after = range.upperBound + 1
        let downwards = Array(after..<max(after, min(count, after + ahead)))
        guard let before else { return downwards }
        let moved = (range.lowerBound + range.upperBound) - (before.lowerBound + before.upperBound)
        guard moved != 0 else { return nil }
        guard range.overlaps(before) else { return [] }
        if moved > 0 { return downwards }
        return Array(max(0, range.lowerBound - ahead)..<range.lowerBound).reversed()
    }

    /// Loads positions that were not asked for yet, and withdraws from those no longer wanted.
    ///
    /// - Parameters:
    ///   - positions: What ``move(to:of:ahead:)`` said, without gaps.
    ///   - options: Of the loads.
    ///   - manager: Loads them.
    ///   - source: Gives the source of a position; nil for one without.
    func load(
        _ positions: [Int],
        options: KingfisherOptionsInfo,
        by manager: KingfisherManager,
        _ source: (Int) -> Source?
    ) {
        withdraw(keeping: positions)
        let new = positions.filter { asked.insert($0).inserted }
        guard let first = new.min(), let last = new.max() else { return }
        let prefetcher = ImagePrefetcher(
            sources: new.compactMap(source),
            options: [.alsoPrefetchToMemory] + options,
            manager: manager
        )
        batches.append(Batch(positions: first...last, prefetcher: prefetcher))
        prefetcher.start()
    }

    /// Stops what is neither ahead nor on screen; a cell on screen shares the download.
    private func withdraw(keeping positions: [Int]) {
        let wanted = Set(positions).union(visible.map(Array.init) ?? [])
        asked.formIntersection(wanted)
        batches.removeAll { batch in
            guard wanted.isDisjoint(with: batch.positions) else { return false }
            // Nothing happens if it has finished.
            batch.prefetcher.stop()
            return true
        }
    }

    deinit {
        for batch in batches { batch.prefetcher.stop() }
    }
}
#endif

#if GTK
import Kingfisher

/// Chooses the items of a list to load next, and loads them into the caches.
///
/// The wanted items change with every row that is scrolled. Each change therefore starts a
/// prefetcher for the new items, and stops the prefetchers that have no wanted items left.
final class ListPrefetch {
    private struct Batch {
        let positions: ClosedRange<Int>
        let prefetcher: ImagePrefetcher
        /// Keeps the textures until their cells are bound, so that the main thread does not make them
        /// in the frame in which a row appears.
        let textures: TextureModifier
    }

    private var visible: ClosedRange<Int>?
    private var batches: [Batch] = []
    /// The requested positions that are still wanted, so that each is requested once.
    private var asked: Set<Int> = []

    /// Records the visible range and returns the positions to load ahead.
    ///
    /// - Parameters:
    ///   - range: The visible positions.
    ///   - count: The number of items in the list.
    ///   - ahead: The number of items to load ahead.
    /// - Returns: Positions, nearest first. Empty if the list jumped beyond the visible range, as
    ///   when it is flung; nil if nothing has changed.
    func move(to range: ClosedRange<Int>, of count: Int, ahead: Int) -> [Int]? {
        let before = visible
        visible = range
        let after = range.upperBound + 1
        let rest = max(0, max(0, count) - after)
        let downwards = Array(after..<after + min(rest, ahead))
        guard let before else { return downwards }
        let moved = (range.lowerBound + range.upperBound) - (before.lowerBound + before.upperBound)
        guard moved != 0 else { return nil }
        guard range.overlaps(before) else { return [] }
        if moved > 0 { return downwards }
        // The model may have shrunk.
        let end = min(range.lowerBound, max(0, count))
        return Array(max(0, end - ahead)..<end).reversed()
    }

    /// Loads positions that were not requested yet, and cancels those no longer wanted.
    ///
    /// - Parameters:
    ///   - positions: The result of ``move(to:of:ahead:)``, without gaps.
    ///   - options: The options of the loads.
    ///   - manager: Loads the images.
    ///   - source: Returns the source of a position; nil for none.
    func load(
        _ positions: [Int],
        options: KingfisherOptionsInfo,
        by manager: KingfisherManager,
        _ source: (Int) -> Source?
    ) {
        withdraw(keeping: positions)
        let new = positions.filter { asked.insert($0).inserted }
        guard let first = new.min(), let last = new.max() else { return }
        let textures = TextureModifier(extending: options, of: manager)
        let prefetcher = ImagePrefetcher(
            sources: new.compactMap(source),
            options: [.alsoPrefetchToMemory] + options + [.imageModifier(textures)],
            manager: manager
        )
        let positions = first...last
        batches.append(Batch(positions: positions, prefetcher: prefetcher, textures: textures))
        prefetcher.start()
    }

    /// The number of textures that wait for their cells.
    var textureCount: Int { batches.reduce(0) { $0 + $1.textures.count } }

    /// Stops loads that are neither ahead nor visible; a visible cell shares the download.
    private func withdraw(keeping positions: [Int]) {
        let wanted = Set(positions).union(visible.map(Array.init) ?? [])
        asked.formIntersection(wanted)
        batches.removeAll { batch in
            guard wanted.isDisjoint(with: batch.positions) else { return false }
            // No effect if it has finished.
            batch.prefetcher.stop()
            return true
        }
    }

    deinit {
        for batch in batches { batch.prefetcher.stop() }
    }
}
#endif

/// Chooses the items of a list to load next, and loads them into the caches.
///
/// The wanted items change with every row that is scrolled, and so do their deadlines.
@MainActor
package final class ListPrefetch {
    private final class Item: Sendable {
        /// The key of its source.
        let key: String?
        let interest: ImageInterest
        let prefetcher: ImagePrefetcher
        /// Keeps what it makes of images until their cells are bound, so that the main thread does not
        /// make it in the frame in which a row appears.
        let modifier: any ImageModifier

        init(
            key: String?,
            interest: ImageInterest,
            prefetcher: ImagePrefetcher,
            modifier: any ImageModifier
        ) {
            self.key = key
            self.interest = interest
            self.prefetcher = prefetcher
            self.modifier = modifier
        }
    }

    /// Makes a prefetch of a list that was not shown yet.
    package init() {}

    private var visible: ClosedRange<Int>?
    /// The requested positions that are still wanted, so that each is requested once.
    private var items: [Int: Item] = [:]
    /// Items of positions that may have another source now, and whether their loads may go on for
    /// another position.
    private var outdated: [(item: Item, isReusable: Bool)] = []

    /// The time ahead for which items are loaded that only pass.
    ///
    /// Long enough that all connections are used, and short, because the list may stop.
    private static let horizon = 0.4
    /// The same for items that stay in sight after a list has slowed down.
    private static let restingHorizon = 2.0
    /// The most items whose time in sight is computed for a frame.
    private static let maxLook = 1_000

    /// Chooses the items that a list which moves will bring in sight.
    ///
    /// - Parameters:
    ///   - forecast: The movement.
    ///   - layout: The list's present layout.
    ///   - count: The number of items in the list.
    ///   - length: The length of a row.
    ///   - ahead: The number of items to load besides those of one screen.
    /// - Returns: The positions that will be in sight for long enough, nearest first.
    package static func wanted(
        _ forecast: ScrollForecast,
        _ layout: ListLayout,
        of count: Int,
        length: Double,
        ahead: Int
    ) -> [(position: Int, deadline: ImageInterest.Deadline)] {
        let step = forecast.isBackward ? -1 : 1
        var position = Int(
            (forecast.isBackward ? layout.top / layout.item - 1 : layout.bottom / layout.item)
                .clamped(to: 0...Double(max(0, count - 1)))
        )
        let slowsDown = forecast.friction > 0
        let screen = Int(
            ((layout.bottom - layout.top) / layout.item).rounded(.up)
                .clamped(to: 0...Double(max(0, count)))
        )
        let ahead = min(ahead, max(0, count))
        var passing = slowsDown ? ahead : ahead + screen
        var staying = screen
        var wanted: [(Int, ImageInterest.Deadline)] = []
        for _ in 0..<maxLook where (0..<count).contains(position) {
            let sight = forecast.sight(of: position, length, in: layout)
            guard let begin = sight.begin, begin < (slowsDown ? restingHorizon : horizon) else {
                break
            }
            let stays = sight.end.map { $0 - begin > horizon } ?? true
            switch sight.deadline {
            case nil: break
            // Only those that were requested before are still loaded.
            case .gone?: wanted.append((position, .gone))
            case let deadline? where stays && staying > 0:
                staying -= 1
                wanted.append((position, deadline))
            case let deadline? where !stays && begin < horizon && passing > 0:
                passing -= 1
                // Those that will be seen for long go first.
                wanted.append((position, slowsDown ? .prefetch : deadline))
            default: break
            }
            position += step
        }
        return wanted
    }

    /// Records the visible range and returns the positions to load ahead.
    ///
    /// - Parameters:
    ///   - range: The visible positions.
    ///   - count: The number of items in the list.
    ///   - ahead: The number of items to load ahead.
    /// - Returns: Positions, nearest first. Empty if the list jumped beyond the visible range, as
    ///   when it is flung; nil if nothing has changed.
    package func move(to range: ClosedRange<Int>, of count: Int, ahead: Int) -> [Int]? {
        let before = visible
        visible = range
        guard let before else { return Self.next(ahead, to: range, of: count, false) }
        let moved = (range.lowerBound + range.upperBound) - (before.lowerBound + before.upperBound)
        guard moved != 0 else { return nil }
        guard range.overlaps(before) else { return [] }
        return Self.next(ahead, to: range, of: count, moved < 0)
    }

    /// The positions that follow a range, or precede it, nearest first.
    package static func next(
        _ ahead: Int,
        to range: ClosedRange<Int>,
        of count: Int,
        _ isBackward: Bool
    ) -> [Int] {
        guard isBackward else {
            let after = range.upperBound + 1
            let rest = max(0, max(0, count) - after)
            return Array(after..<after + min(rest, ahead))
        }
        // The model may have shrunk.
        let end = min(range.lowerBound, max(0, count))
        return Array(max(0, end - ahead)..<end).reversed()
    }

    /// Loads positions that were not requested yet, and cancels those no longer wanted.
    ///
    /// - Parameters:
    ///   - wanted: The positions with their deadlines, in the order of loading.
    ///   - visible: The positions whose loads continue, because their cells share them.
    ///   - options: The options of the loads.
    ///   - modifier: Makes the modifier of an image that extends the options, and is kept with it.
    ///   - manager: Loads the images.
    ///   - source: Returns the source of a position; nil for none.
    package func load(
        _ wanted: [(position: Int, deadline: ImageInterest.Deadline)],
        keeping visible: ClosedRange<Int>?,
        options: @autoclosure () -> KingfisherOptionsInfo,
        modifier: (KingfisherOptionsInfo) -> any ImageModifier,
        by manager: KingfisherManager,
        source: (Int) -> Source?
    ) {
        var former = items
        items = items.filter { visible?.contains($0.key) == true }
        var parsed: KingfisherOptionsInfo?
        for (position, deadline) in wanted {
            if let item = former[position] {
                item.interest.deadline = deadline
                items[position] = item
                continue
            }
            // Too late to load it ahead; its cell may still request it.
            guard deadline != .gone else { continue }
            let source = source(position)
            if let item = takeOutdated(source?.cacheKey) {
                item.interest.deadline = deadline
                items[position] = item
                continue
            }
            let options = parsed ?? options()
            parsed = options
            let modifier = modifier(options)
            let interest = ImageInterest(deadline)
            let prefetcher = ImagePrefetcher(
                sources: source.map { [$0] } ?? [],
                options: [.alsoPrefetchToMemory] + options
                    + [.imageModifier(modifier), .interest(interest)],
                manager: manager
            )
            items[position] = Item(
                key: source?.cacheKey,
                interest: interest,
                prefetcher: prefetcher,
                modifier: modifier
            )
            prefetcher.start()
        }
        for position in items.keys { former[position] = nil }
        // No effect on those that have finished.
        for item in former.values { item.prefetcher.stop() }
        endOutdated()
    }

    /// Forgets the positions from one on, because their sources may have changed.
    ///
    /// - Parameters:
    ///   - position: The first position.
    ///   - reusing: Whether their loads go on for other positions that have their sources. The others
    ///     end with the next ``load(_:keeping:options:modifier:by:source:)`` or ``endOutdated()``.
    package func forget(from position: Int, reusing: Bool) {
        visible = nil
        for key in items.keys where key >= position {
            if let item = items.removeValue(forKey: key) { outdated.append((item, reusing)) }
        }
    }

    private func takeOutdated(_ key: String?) -> Item? {
        let place = outdated.firstIndex { $0.isReusable && $0.item.key == key && key != nil }
        return place.map { outdated.remove(at: $0).item }
    }

    /// Ends the loads of forgotten positions.
    package func endOutdated() {
        for (item, _) in outdated { item.prefetcher.stop() }
        outdated = []
    }

    /// The modifiers of the positions that are loaded ahead.
    package var modifiers: [any ImageModifier] { items.values.map(\.modifier) }

    /// Changes the deadline of a position that is loaded ahead and now seen.
    package func setDeadline(_ deadline: ImageInterest.Deadline, of position: Int) {
        items[position]?.interest.deadline = deadline
    }

    deinit {
        for item in items.values + outdated.map(\.item) { item.prefetcher.stop() }
    }
}

extension Double {
    /// The nearest number in a range; its beginning for what is no number.
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK
import Synchronization

/// Measures how long the cells of a list are in sight before they show their image.
///
/// The images come from a server on this machine whose responses take 60 ms. The list is flung four
/// times: it moves at a constant speed for a second, then it slows down as GTK's kinetic scrolling
/// does, and rests.
final class ArrivalMeasurement {
    /// One stay of an item in sight.
    private struct Stay {
        let begin: ContinuousClock.Instant
        var sharp: ContinuousClock.Instant?
        var end: ContinuousClock.Instant?
        /// Whether the item was in sight when the list had stopped.
        var isAtRest = false
    }

    private static let columns = 6
    private static let flings = 4
    /// Seconds of constant speed, of slowing down, and of rest.
    private static let (motion, slowing, rest) = (1.0, 1.0, 1.0)
    /// The friction of GTK's kinetic scrolling, per second.
    private static let friction = 4.0

    private let folder: URL
    private let window: Widget
    private var views: [Int: OpaquePointer] = [:]
    private var stays: [Int: Stay] = [:]
    private var ended: [(item: Int, stay: Stay)] = []
    private var isResting = false

    init(folder: URL, window: Widget) {
        self.folder = folder
        self.window = window
    }

    /// Flings the list at a speed in logical pixels per second, and prints the figures.
    ///
    /// - Parameters:
    ///   - speed: Logical pixels per second.
    ///   - connections: The number of connections to the server.
    ///   - followsScrolling: See `ImageListFactory.followsScrolling`.
    /// - Throws: The error of a file that cannot be read, or `CancellationError`.
    func run(speed: Int, connections: Int, followsScrolling: Bool) async throws {
        let bodies = try (0..<Pictures.measuredCount).map {
            try Data(contentsOf: folder.appendingPathComponent("\($0).jpg"))
        }
        let server = try PictureServer(delay: 0.06) { path in
            let number = Int(path.dropFirst().prefix { $0 != "." }) ?? 0
            return .init(type: "image/jpeg", body: bodies[number % bodies.count])
        }
        KingfisherManager.shared.downloader.transferSettings.maxConnectionsPerHost = connections
        KingfisherManager.shared.cache.memoryStorage.config.totalCostLimit = 48_000_000
        let page = GridPage(columns: UInt32(Self.columns)) {
            .network(server.url("/\($0).jpg"))
        } onOpen: { _ in
        }
        page.followsScrolling = followsScrolling
        page.onBind = { [unowned self] in views[$0] = $1.gtkPicture }
        gtk_window_set_child(window.cast(), page.widget)
        let limit = ContinuousClock.now + .seconds(30)
        while !page.isReady, .now < limit { try await Task.sleep(for: .milliseconds(20)) }
        // Until the prefetch has ended.
        try await Task.sleep(for: .seconds(1))
        guard let adjustment = page.adjustment else { return }
        let loadedBefore = Set(server.sent.keys)
        let frames = FrameCosts(of: window)
        frames.onPainted = { [unowned self] in look(adjustment) }
        var time = 0.0
        let period = Self.motion + Self.slowing + Self.rest
        try await frames.record(for: period * Double(Self.flings)) { [unowned self] passed in
            time += passed
            let part = time.truncatingRemainder(dividingBy: period)
            let slowed = min(part - Self.motion, Self.slowing)
            let current =
                part < Self.motion ? Double(speed) : Double(speed) * exp(-Self.friction * slowed)
            isResting = part >= Self.motion + Self.slowing
            guard !isResting else { return }
            let top = gtk_adjustment_get_value(adjustment)
            gtk_adjustment_set_value(adjustment, top + current * passed)
        }
        frames.report()
        report(server.sent.filter { !loadedBefore.contains($0.key) })
        print("requests: \(server.requestCount), cancelled: \(server.cancelledCount)")
    }

    /// Records which items are in sight, and which of them show their image.
    private func look(_ adjustment: UnsafeMutablePointer<GtkAdjustment>) {
        let now = ContinuousClock.now
        let rows = (Pictures.count + Self.columns - 1) / Self.columns
        let height = gtk_adjustment_get_upper(adjustment) / Double(rows)
        let top = gtk_adjustment_get_value(adjustment)
        let first = Int(top / height)
        let last = min(rows - 1, Int((top + gtk_adjustment_get_page_size(adjustment) - 1) / height))
        guard first <= last else { return }
        let items = first * Self.columns..<min(Pictures.count, (last + 1) * Self.columns)
        for (item, stay) in stays where !items.contains(item) {
            var stay = stay
            stay.end = now
            ended.append((item, stay))
            stays[item] = nil
        }
        for item in items {
            var stay = stays[item] ?? Stay(begin: now)
            if stay.sharp == nil, let view = views[item], kf(view).image != nil { stay.sharp = now }
            if isResting { stay.isAtRest = true }
            stays[item] = stay
        }
    }

    // MARK: Report

    private func report(_ sent: [String: Int]) {
        let now = ContinuousClock.now
        let all = ended + stays.map { ($0.key, $0.value) }
        let whole = all.map(\.stay)
        report("all", whole, now)
        report("moving", all.map(\.stay).filter { !$0.isAtRest }, now)
        report("resting", all.map(\.stay).filter(\.isAtRest), now)
        let seen = Set(all.map { "/\($0.item).jpg" })
        let shown = Set(all.filter { $0.stay.sharp != nil }.map { "/\($0.item).jpg" })
        func kilobytes(_ isCounted: (String) -> Bool) -> Int {
            sent.filter { isCounted($0.key) }.values.reduce(0, +) / 1000
        }
        print("loaded: \(kilobytes { _ in true }) kB")
        // What follows the last item in sight may be seen yet.
        let last = stays.keys.max() ?? 0
        let passed = { (path: String) in (Int(path.dropFirst().prefix { $0 != "." }) ?? 0) <= last }
        print("loaded, never in sight: \(kilobytes { passed($0) && !seen.contains($0) }) kB")
        print("loaded, never shown: \(kilobytes { passed($0) && !shown.contains($0) }) kB")
        print("loaded ahead: \(kilobytes { !passed($0) }) kB")
    }

    private func report(_ name: String, _ stays: [Stay], _ now: ContinuousClock.Instant) {
        guard !stays.isEmpty else { return print("\(name): none") }
        let blurred = stays.map { (($0.sharp ?? $0.end ?? now) - $0.begin) / .milliseconds(1) }
        let sharp = stays.compactMap(\.sharp).count
        func share(_ values: [Double], _ part: Double) -> String {
            let sorted = values.sorted()
            let index = min(sorted.count - 1, Int(Double(sorted.count) * part))
            return String(format: "%.0f", sorted[index])
        }
        print(
            "\(name): \(stays.count) stays, \(100 * sharp / stays.count) % sharp;",
            "without their image, ms: p50 \(share(blurred, 0.5)) p95 \(share(blurred, 0.95))"
        )
    }
}

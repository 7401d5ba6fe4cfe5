import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// Measures the frames and the memory of a window with the images of a folder.
///
/// The window has no bars, like the one of the program in C that scrolls through the same images.
final class Measurement {
    enum Subject: String, CaseIterable {
        case scrolling, arriving, binding, animations, zooming
    }

    private let folder: URL
    private let emptyWindow: ResidentMemory
    private let window = made(gtk_window_new())
    private let seconds = 10.0

    init(folder: URL, emptyWindow: ResidentMemory) {
        self.folder = folder
        self.emptyWindow = emptyWindow
        gtk_window_set_default_size(window.cast(), 1060, 760)
        gtk_window_present(window.cast())
    }

    /// Measures for ten seconds, and prints the figures.
    ///
    /// - Parameters:
    ///   - subject: What moves.
    ///   - numbers: The number of animations; or the speed in pixels per second, the number of
    ///     connections to the server, and 0 if loads do not follow the speed.
    /// - Throws: The error of an image that cannot be loaded, or `CancellationError`.
    func run(_ subject: Subject, _ numbers: [Int]) async throws {
        switch subject {
        case .arriving:
            let arrivals = ArrivalMeasurement(folder: folder, window: window)
            try await arrivals.run(
                speed: numbers.first ?? 3_600,
                connections: numbers.dropFirst().first ?? 6,
                followsScrolling: numbers.dropFirst(2).first != 0
            )
        case .scrolling: try await scroll()
        case .binding: try await bind()
        case .animations: try await animate(numbers.first ?? 50)
        case .zooming: try await zoom()
        }
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))
        print("threads: \(threads?.count ?? 0)")
        print("resident: \(ResidentMemory.now)")
        print("more than with an empty window: \((ResidentMemory.now - emptyWindow).total) MB")
        gtk_window_destroy(window.cast())
    }

    private func file(_ name: String, key: String? = nil) -> Source {
        .provider(
            LocalFileImageDataProvider(
                // Otherwise the file system is asked whether it is a folder, for each cell.
                fileURL: folder.appendingPathComponent(name, isDirectory: false),
                cacheKey: key
            )
        )
    }

    /// Waits for at most half a minute; what is measured then is less than was asked for.
    private func wait(until isReady: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while !isReady(), .now < end { try await Task.sleep(for: .milliseconds(20)) }
    }

    // MARK: Subjects

    /// Scrolls through ten thousand images at 3,600 logical pixels per second.
    private func scroll() async throws {
        let memory = KingfisherManager.shared.cache.memoryStorage
        // Small enough to fill up soon, so that the other resident memory shows.
        memory.config.totalCostLimit = 48_000_000
        var bound = 0
        let page = GridPage(columns: 6, options: [.cacheMemoryOnly]) { [unowned self] number in
            bound += 1
            return file("\(number % Pictures.measuredCount).jpg", key: "\(number)")
        } onOpen: { _ in
        }
        gtk_window_set_child(window.cast(), page.widget)
        try await wait { page.isReady }
        guard let adjustment = page.adjustment else { return }
        bound = 0
        let frames = FrameCosts(of: window)
        // As far in each frame as at 60 frames a second, so that a busy machine binds no more cells
        // in a frame than a quiet one.
        try await frames.record(frames: Int(seconds * 60)) {
            gtk_adjustment_set_value(adjustment, gtk_adjustment_get_value(adjustment) + 60)
        }
        frames.report()
        let held = memory.statistics
        print("described: \(bound) cells")
        print("stored: \(held.count + Int(held.evictedForCost)) images")
        print("memory cache: \(held.cost / 1_000_000) of 48 MB in \(held.count) images")
    }

    /// Jumps through ten thousand images until cells were bound a hundred thousand times.
    private func bind() async throws {
        var bound = 0
        let page = GridPage(columns: 6, options: [.cacheMemoryOnly]) { [unowned self] number in
            bound += 1
            return file("\(number % Pictures.measuredCount).jpg", key: "\(number % 200)")
        } onOpen: { _ in
        }
        gtk_window_set_child(window.cast(), page.widget)
        try await wait { page.isReady }
        guard let adjustment = page.adjustment else { return }
        let frames = FrameCosts(of: window)
        for pass in 1...10 {
            bound = 0
            while bound < 10_000 {
                try await frames.record(for: 0.1) { _ in
                    // More than GTK binds around the visible rows.
                    let end = gtk_adjustment_get_upper(adjustment)
                    let next = gtk_adjustment_get_value(adjustment) + 20_000
                    gtk_adjustment_set_value(adjustment, next.truncatingRemainder(dividingBy: end))
                }
            }
            print("pass \(pass): bound \(bound) times, resident \(ResidentMemory.now)")
        }
    }

    /// Plays animations that are all in sight.
    private func animate(_ count: Int) async throws {
        let columns = Int((Double(count) * 1_060 / 760).squareRoot().rounded(.up))
        let width = 1_040 / columns
        let grid = made(gtk_grid_new())
        let views = (0..<count).map { number in
            let view = AnimatedPictureView()
            view.setSizeRequest(width: width, height: width * 3 / 4)
            let source = file("\(number % Pictures.animatedCount).gif", key: "\(number)")
            view.kf.setImage(with: source, options: [.cacheMemoryOnly])
            let (x, y) = (Int32(number % columns), Int32(number / columns))
            gtk_grid_attach(grid.cast(), view.widget, x, y, 1, 1)
            return view
        }
        gtk_window_set_child(window.cast(), grid)
        // Each of them in a frame of its own: many are hardly ever past the first at one time.
        var moved = Set<Int>()
        try await wait {
            for (index, view) in views.enumerated() where view.currentFrameIndex > 0 {
                moved.insert(index)
            }
            return moved.count == views.count
        }
        print("moving: \(moved.count) of \(count) animations")
        let frames = FrameCosts(of: window)
        var steps = 0
        var shown = views.map(\.currentFrameIndex)
        try await frames.record(for: seconds) { _ in
            for (index, view) in views.enumerated() where view.currentFrameIndex != shown[index] {
                shown[index] = view.currentFrameIndex
                steps += 1
            }
        }
        frames.report()
        print("steps of \(count) animations: \(Int(Double(steps) / seconds)) per second")
    }

    /// Zooms into an image of a hundred megapixels and out again, with pauses in which it sharpens.
    private func zoom() async throws {
        let view = KFZoomView()
        gtk_window_set_child(window.cast(), view.widget)
        var size: Result<CGSize, any Error>?
        view.setImage(with: file("huge.jpg"), options: [.cacheMemoryOnly]) { size = $0 }
        try await wait { size != nil }
        print("image: \(try size?.get() ?? .zero) pixels")
        let frames = FrameCosts(of: window)
        var time = 0.0
        let fitted = view.zoom
        try await frames.record(for: seconds) { passed in
            time += passed
            // In a period of 5 s: two seconds in, half a second of rest, two out, half of rest.
            let part = time.truncatingRemainder(dividingBy: 5)
            let depth = part < 2 ? part / 2 : part < 2.5 ? 1 : part < 4.5 ? (4.5 - part) / 2 : 0
            view.zoom = fitted * pow(1.5 / fitted, depth)
        }
        frames.report()
        print("peak: \(ResidentMemory.peak) MB")
    }
}

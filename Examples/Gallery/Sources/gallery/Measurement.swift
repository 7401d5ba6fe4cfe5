import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// Scrolls through the grid and says how long frames and binds took.
final class Measurement {
    private let window: GalleryWindow
    private let emptyWindow: ResidentMemory
    private var frames: [Double] = []
    private var frameCosts: [Double] = []
    private var frameCostStart = 0.0
    private var binds: [Double] = []
    private var frameStart = ContinuousClock.now
    private var bindStart = ContinuousClock.now

    init(_ window: GalleryWindow, emptyWindow: ResidentMemory) {
        self.window = window
        self.emptyWindow = emptyWindow
    }

    /// Scrolls for some seconds, at a speed in logical pixels a second.
    func run(speed: Double, seconds: Double) async throws {
        // Small enough to be full soon, so that one sees what is resident besides it.
        KingfisherManager.shared.cache.memoryStorage.config.totalCostLimit = 64_000_000
        guard let grid = window.showGrid() else { return }
        while !grid.isReady { try await Task.sleep(for: .milliseconds(20)) }
        guard let clock = gtk_widget_get_frame_clock(window.window),
            let adjustment = grid.adjustment
        else { return }
        let source = UnsafeMutableRawPointer(clock)
        connect(source, "before-paint") { [weak self] _ in
            self?.frameStart = .now
            self?.frameCostStart = Self.processorTime
        }
        connect(source, "after-paint") { [weak self] _ in
            guard let self else { return }
            frames.append((ContinuousClock.now - frameStart) / .milliseconds(1))
            frameCosts.append(Self.processorTime - frameCostStart)
        }
        grid.hooks.bindBegins = { [weak self] in self?.bindStart = .now }
        grid.hooks.bindEnded = { [weak self] in
            guard let self else { return }
            binds.append((ContinuousClock.now - bindStart) / .milliseconds(1))
        }
        print("resident with an empty window: \(emptyWindow)")
        print("resident before: \(ResidentMemory.now)")
        let start = ContinuousClock.now
        var position = gtk_adjustment_get_value(adjustment)
        var last = start
        connect(source, "update") { _ in
            let now = ContinuousClock.now
            position += speed * ((now - last) / .seconds(1))
            last = now
            gtk_adjustment_set_value(adjustment, position)
        }
        gdk_frame_clock_begin_updating(clock)
        try await Task.sleep(for: .seconds(seconds))
        gdk_frame_clock_end_updating(clock)
        print("scrolled \(Int(position)) pixels in \(seconds) s at \(Int(speed)) pixels/s")
        report("frame", frames)
        report("frame, the main thread's processor time alone", frameCosts)
        report("bind", binds)
        let after = ResidentMemory.now
        let more = after - emptyWindow
        print("resident after: \(after)")
        print("more than with an empty window: \(more); the memory cache is limited to 64 MB")
    }

    /// What the calling thread has had of a processor, in milliseconds: unlike the time on the
    /// clock it tells nothing of what else the machine is doing.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    private func report(_ name: String, _ values: [Double]) {
        let sorted = values.sorted()
        guard let longest = sorted.last else { return print("\(name): none") }
        func share(_ part: Double) -> String {
            String(format: "%.3f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
        }
        print(
            "\(name): \(sorted.count), ms: p50 \(share(0.5)) p90 \(share(0.9)) p99 \(share(0.99))"
                + String(format: " max %.3f", longest)
        )
    }
}

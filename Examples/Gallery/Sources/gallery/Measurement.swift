import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// Scrolls through the grid and reports the duration of frames and binds, and the resident memory.
final class Measurement {
    private let window: GalleryWindow
    private let pictures: Pictures
    private let emptyWindow: ResidentMemory
    private var frames = Costs(countsWaits: true)
    private var binds = Costs(countsWaits: false)

    init(_ window: GalleryWindow, _ pictures: Pictures, emptyWindow: ResidentMemory) {
        self.window = window
        self.pictures = pictures
        self.emptyWindow = emptyWindow
    }

    /// Scrolls for `seconds` at a speed in logical pixels per second.
    func run(speed: Double, seconds: Double) async throws {
        // Small enough to fill up soon, so that the other resident memory shows.
        let memory = KingfisherManager.shared.cache.memoryStorage
        memory.config.totalCostLimit = 48_000_000
        guard let grid = window.showGrid() else { return }
        while !grid.isReady { try await Task.sleep(for: .milliseconds(20)) }
        guard let clock = gtk_widget_get_frame_clock(window.window),
            let adjustment = grid.adjustment
        else { return }
        let source = UnsafeMutableRawPointer(clock)
        // A frame is the frame clock's work: layout with binds, painting, and handing over the
        // pixels. Waiting for the clock's next tick is not included.
        connect(source, "before-paint") { [weak self] _ in self?.frames.begins() }
        connect(source, "after-paint") { [weak self] _ in self?.frames.ended() }
        grid.hooks.bindBegins = { [weak self] in self?.binds.begins() }
        grid.hooks.bindEnded = { [weak self] in self?.binds.ended() }
        print("renderer: \(rendererName)")
        print("resident with an empty window: \(emptyWindow)")
        print("resident before: \(ResidentMemory.now)")
        let requests = pictures.requestCount
        let start = ContinuousClock.now
        let first = gtk_adjustment_get_value(adjustment)
        var position = first
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
        let loads = pictures.requestCount - requests
        print("scrolled \(Int(position - first)) pixels in \(seconds) s at \(Int(speed)) pixels/s")
        reportFrames()
        report("bind", binds.all.map(\.wall))
        report("    on a processor", binds.all.map(\.processor))
        print("asked of the server meanwhile: \(loads) pictures")
        let held = memory.statistics
        let after = ResidentMemory.now
        print("memory cache: \(held.cost / 1_000_000) of 48 MB in \(held.count) pictures")
        print("resident after: \(after)")
        print("more than with an empty window: \(after - emptyWindow)")
    }

    /// The name of the renderer, which influences the times most.
    private var rendererName: String {
        guard let renderer = gtk_native_get_renderer(window.window.opaque) else { return "none" }
        let instance = UnsafeMutableRawPointer(renderer).assumingMemoryBound(
            to: GTypeInstance.self
        )
        return String(cString: g_type_name_from_instance(instance))
    }

    private func reportFrames() {
        let frames = frames.all
        report("frame", frames.map(\.wall))
        report("    on a processor, the main thread alone", frames.map(\.processor))
        report("    waiting for a core", frames.map(\.waitingForCore))
        report("    waiting for others, the display server", frames.map(\.waitingForOthers))
        report("frame without the waits for a core", frames.map(\.undisturbed))
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

import Dispatch
import Foundation
import Synchronization

/// Shows a progressive JPEG scan by scan during its download, one update at a time.
///
/// Each chunk wakes it; wakes during an update are merged into one. It decodes in the pool with the
/// load's priority, and shows images on the main queue until the download is complete.
final class ProgressiveUpdates: Sendable {
    /// The receiver of the intermediate images.
    struct Sink: Sendable {
        /// Shows an image, or nothing; called on the main queue.
        var show: @Sendable (KFCrossPlatformImage?) -> Void
        /// Measures the interval between updates.
        var clock = WallClock.system
    }

    private let progressive: ImageProgressive
    private let request: LoadRequest
    private let sink: Sink
    private let task: DownloadTask
    private let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let hasEnded = Atomic(false)
    private let worker = Mutex<Task<Void, Never>?>(nil)

    /// Nil if the options do not request it or there is no sink; nothing is decoded then.
    ///
    /// Also nil for an isolated load, because scans are decoded in this process.
    init?(_ request: LoadRequest, task: DownloadTask, sink: Sink?) {
        guard let progressive = request.options.progressiveJPEG, let sink,
            !request.options.isolated
        else { return nil }
        self.progressive = progressive
        self.request = request
        self.sink = sink
        self.task = task
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let decoding = ProgressiveDecoding(progressive, options: request.options)
        let worker = Task { [weak self, wakes] in
            var count = 0
            for await _ in wakes {
                guard let self, isWanted, !decoding.isOver else { return }
                guard let bytes = task.sessionTask?.bytes(from: count) else { continue }
                count += bytes.count
                await update(decoding, with: bytes)
            }
        }
        self.worker.withLock { $0 = worker }
    }

    deinit { end() }

    /// Reports that bytes have arrived.
    var wake: @Sendable () -> Void {
        { [continuation] in continuation.yield() }
    }

    /// Stops showing images, because the download is complete or has failed.
    func end() {
        hasEnded.store(true, ordering: .relaxed)
        continuation.finish()
        worker.withLock { $0 }?.cancel()
    }

    private var isWanted: Bool {
        !hasEnded.load(ordering: .relaxed) && !request.isSuperseded && !task.isCancelled
    }

    /// Decodes and shows the scans in new bytes.
    private func update(_ decoding: ProgressiveDecoding, with bytes: Data) async {
        var bytes = bytes
        while isWanted, let image = await next(decoding, bytes) {
            let began = sink.clock.now()
            await show(image)
            await pause(until: began + progressive.scanInterval)
            bytes = Data()
        }
    }

    private func next(_ decoding: ProgressiveDecoding, _ bytes: Data) async -> KFCrossPlatformImage?
    {
        let urgency = Urgency(request.options.priority)
        // It only throws if cancelled, and then nothing is shown.
        let image = try? await ImageMaker.pool.run(urgency: urgency) { decoding.next(bytes) }
        return image ?? nil
    }

    private func show(_ image: KFCrossPlatformImage) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { [self] in
                if isWanted { decide(image) }
                continuation.resume()
            }
        }
    }

    /// Calls the hook on the main queue.
    private func decide(_ image: KFCrossPlatformImage) {
        let update = progressive.onImageUpdated.call(image)
        // The hook may cancel the load, or start another one.
        guard isWanted else { return }
        switch update {
        case nil, .default?: sink.show(image)
        case .keepCurrent?: break
        case .replace(let other)?: sink.show(other)
        }
    }

    /// Waits on the sink's clock; ends early if cancelled.
    private func pause(until date: TimeInterval) async {
        let clock = sink.clock
        let left = date - clock.now()
        guard left > 0 else { return }
        let gate = Gate()
        let timer = clock.every(left) { gate.open() }
        await gate.waitUntilCancelled()
        withExtendedLifetime(timer) {}
    }
}

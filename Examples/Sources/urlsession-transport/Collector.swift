import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Counts the delivered bytes of a transfer and waits for its end.
final class Collector: HTTPTransferHandler {
    private struct State {
        var byteCount = 0
        var endCount = 0
        var error: TransferError?
    }

    private let state = Mutex(State())
    private let chunks: AsyncStream<Void>
    private let ends: AsyncStream<Void>
    private let chunk: AsyncStream<Void>.Continuation
    private let finished: AsyncStream<Void>.Continuation
    private let onChunk: @Sendable (any HTTPTransfer) -> Void

    init(onChunk: @escaping @Sendable (any HTTPTransfer) -> Void = { _ in }) {
        (chunks, chunk) = AsyncStream.makeStream()
        (ends, finished) = AsyncStream.makeStream()
        self.onChunk = onChunk
    }

    var byteCount: Int { state.withLock { $0.byteCount } }
    var endCount: Int { state.withLock { $0.endCount } }

    func firstChunk() async {
        for await _ in chunks { return }
    }

    /// The error of the finished transfer; nil if the body is complete.
    func end() async -> TransferError? {
        for await _ in ends {}
        return state.withLock { $0.error }
    }

    func transfer(_ transfer: any HTTPTransfer, didReceive piece: RawSpan) {
        let isFirst = state.withLock { state in
            defer { state.byteCount += piece.byteCount }
            return state.byteCount == 0
        }
        guard isFirst else { return }
        onChunk(transfer)
        chunk.yield()
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        state.withLock { state in
            state.endCount += 1
            state.error = error
        }
        chunk.finish()
        finished.finish()
    }
}

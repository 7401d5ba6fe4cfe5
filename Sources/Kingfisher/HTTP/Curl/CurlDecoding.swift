import CKFCurlShim
import Foundation
import Synchronization

/// The coded body of one transfer, between the loop and the handler.
///
/// The loop adds coded bytes. The handler receives decoded ones on the thread of the
/// ``CurlDecoder``, which wakes the loop when there is room for more, and at the end.
///
/// `@unchecked`: `codec`, `piece`, `isFull` and `isComplete` are used in its slices only, and one
/// slice runs at a time.
final class CurlDecoding: @unchecked Sendable {
    private struct State {
        /// Coded bytes that no slice has taken.
        var waiting: [UInt8] = []
        /// Whether a slice is due or runs.
        var isRunning = false
        /// Whether the loop waits for room.
        var wantsRoom = false
        /// Whether no coded bytes follow.
        var hasAll = false
        var outcome: Result<Void, TransferError>?
        /// The decoded bytes.
        var count = 0
        /// Called in place of further slices.
        var end: (@Sendable () -> Void)?
    }

    /// The coded bytes that may wait: several of libcurl's pieces.
    private static let maxWaiting = 128 << 10
    /// The coded bytes between two looks at the clock.
    ///
    /// One may cost a thousand times as much as one of an image: as a part of a table of codes, or of
    /// a block without data. Brotli makes up to 16 MB of one piece.
    private static let bite = 4 << 10
    /// How long the bodies of other transfers wait at most.
    private static let slice = Duration.milliseconds(4)

    private let coding: ContentCoding
    private let transfer: CurlTransfer
    private let handler: any HTTPTransferHandler
    private let url: URL
    private let limit: Int
    private let decoder: CurlDecoder
    private let state = Mutex(State())

    private let codec: OpaquePointer?
    /// The coded bytes that a slice has taken, and how many of them are decoded.
    private var piece: (bytes: [UInt8], taken: Int) = ([], 0)
    /// Whether the last step has filled its room, so that more may be left.
    private var isFull = false
    /// Whether the body may end here; an empty one may.
    private var isComplete = true

    init(_ coding: ContentCoding, of exchange: CurlExchange, by decoder: CurlDecoder) {
        self.coding = coding
        transfer = exchange.transfer
        handler = exchange.handler
        url = exchange.url
        limit = exchange.settings.maxBodyBytes
        self.decoder = decoder
        codec = kf_coding_new(coding.kind)
    }

    deinit { if let codec { kf_coding_free(codec) } }

    // MARK: Called by the loop

    /// The number of decoded bytes.
    var count: Int { state.withLock { $0.count } }

    /// Why the body cannot be decoded.
    var failure: TransferError? {
        if case .failure(let error) = state.withLock({ $0.outcome }) { error } else { nil }
    }

    /// Whether there is room for coded bytes; otherwise the loop is woken when there is.
    func hasRoom() -> Bool {
        state.withLock { state in
            state.wantsRoom = state.waiting.count >= Self.maxWaiting
            return !state.wantsRoom
        }
    }

    func add(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { bytes in run { $0.waiting.append(contentsOf: bytes) } }
    }

    /// Continues when the handler has resumed the transfer.
    func resume() { run { _ in } }

    /// Ends the coded bytes.
    ///
    /// - Returns: Whether all are decoded, or an error was found; otherwise the loop is woken then.
    func finish() -> Bool {
        run { $0.hasAll = true }
        return state.withLock { $0.outcome != nil }
    }

    /// Ends decoding, and calls `end` when no bytes are being delivered: at once, or on the decoder's
    /// thread.
    func stop(_ end: @escaping @Sendable () -> Void) {
        let isRunning = state.withLock { state in
            if state.isRunning { state.end = end }
            return state.isRunning
        }
        if !isRunning { end() }
    }

    private func run(_ change: (inout State) -> Void) {
        let starts = state.withLock { state in
            guard state.outcome == nil else { return false }
            change(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        do throws(ThreadRefused) {
            try decoder.add(self)
        } catch {
            state.withLock { state in
                state.isRunning = false
                state.outcome = .failure(.noThread(reason: "\(error)", url: url))
            }
            transfer.wake()
        }
    }

    // MARK: Slices

    /// Decodes for a few milliseconds.
    ///
    /// - Parameter room: The place for decoded bytes.
    /// - Returns: Whether another slice is due.
    func runSlice(_ room: UnsafeMutableRawBufferPointer) -> Bool {
        let start = CurlTime.now
        while takePiece(), step(room), .now - start < Self.slice {}
        return endSlice()
    }

    /// Whether there is something to do.
    private func takePiece() -> Bool {
        let (isDue, wakes) = state.withLock { state -> (Bool, Bool) in
            guard mayGoOn(state) else { return (false, false) }
            guard piece.taken == piece.bytes.count, !state.waiting.isEmpty else {
                return (isFull || piece.taken < piece.bytes.count, false)
            }
            piece.bytes.removeAll(keepingCapacity: true)
            swap(&piece.bytes, &state.waiting)
            piece.taken = 0
            defer { state.wantsRoom = false }
            return (true, state.wantsRoom)
        }
        if wakes { transfer.wake() }
        return isDue
    }

    private func mayGoOn(_ state: State) -> Bool {
        state.outcome == nil && state.end == nil && !transfer.isPaused && !transfer.isCancelled
    }

    /// Decodes a few bytes; returns whether more may follow.
    private func step(_ room: UnsafeMutableRawBufferPointer) -> Bool {
        guard let codec else { return fail(with: kf_coding_no_memory) }
        var (taken, made) = (0, 0)
        let status = piece.bytes.withUnsafeBufferPointer { bytes in
            let bite = bytes[piece.taken...].prefix(Self.bite)
            return kf_coding_decode(
                codec,
                UnsafeBufferPointer(rebasing: bite).baseAddress,
                bite.count,
                &taken,
                room.baseAddress?.assumingMemoryBound(to: UInt8.self),
                room.count,
                &made
            )
        }
        piece.taken += taken
        isFull = made == room.count
        isComplete = status == kf_coding_complete
        guard deliver(UnsafeRawBufferPointer(rebasing: room[..<made])) else { return false }
        if status == kf_coding_continues || status == kf_coding_complete { return true }
        return fail(with: status)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty else { return true }
        let isAllowed = state.withLock { state in
            guard state.count + bytes.count <= limit else {
                state.outcome = .failure(.bodyTooLarge(limit: limit, url: url))
                return false
            }
            state.count += bytes.count
            return true
        }
        if isAllowed { handler.transfer(transfer, didReceive: bytes.bytes) }
        return isAllowed
    }

    private func fail(with status: kf_coding_status) -> Bool {
        let reason =
            switch status {
            case kf_coding_trailing: "bytes follow the end of its encoded body"
            case kf_coding_damaged: "its encoded body is damaged"
            default: "decoding its body takes too much memory"
            }
        let error = TransferError.badResponse(reason: "\(reason) (\(coding.rawValue))", url: url)
        state.withLock { $0.outcome = .failure(error) }
        return false
    }

    private func endSlice() -> Bool {
        let isDone = piece.taken == piece.bytes.count && !isFull
        let (isDue, wakes, end) = state.withLock { state in
            let isIdle = isDone && state.waiting.isEmpty
            if isIdle, state.hasAll, state.outcome == nil {
                state.outcome =
                    isComplete
                    ? .success(())
                    : .failure(.truncatedBody(received: state.count, expected: nil, url: url))
            }
            // A pause that has ended meanwhile could not begin a slice.
            let isDue = !isIdle && mayGoOn(state)
            state.isRunning = isDue
            return (isDue, state.outcome != nil, state.end)
        }
        if let end { end() } else if wakes { transfer.wake() }
        return isDue
    }
}

/// Decodes the bodies of a transport, a slice of each at a time.
///
/// Its thread ends when there are none. It is not one of a pool: hostile bodies can keep it busy for
/// seconds, in which the system lets other threads run.
final class CurlDecoder: Sendable {
    private let threads: ThreadStarter
    private let state = Mutex((waiting: FIFO<CurlDecoding>(), isRunning: false))

    init(threads: ThreadStarter) { self.threads = threads }

    /// Adds a body, whose slice follows those of the bodies that wait.
    func add(_ body: CurlDecoding) throws(ThreadRefused) {
        try state.withLock { state throws(ThreadRefused) in
            if !state.isRunning {
                // Enough for decoders and handlers.
                try threads("kingfisher-body", stackBytes: 1 << 20) { [self] in run() }
                state.isRunning = true
            }
            state.waiting.append(body)
        }
    }

    private func run() {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { room in
            while let body = next() {
                if body.runSlice(room) { state.withLock { $0.waiting.append(body) } }
            }
        }
    }

    private func next() -> CurlDecoding? {
        state.withLock { state in
            let body = state.waiting.popFirst()
            state.isRunning = body != nil
            return body
        }
    }
}

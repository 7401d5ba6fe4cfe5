import CCurl
import CCurlShim

/// The share of one transfer in a round of the loop.
///
/// All transfers have one thread, and a server decides how often libcurl calls back in a round: up
/// to a million times for chunks of one byte. A transfer that has used its share is paused until
/// the next round, so that no server can keep the thread.
struct CurlShare {
    // 8 of libcurl's network buffers. Pausing copies the rest of the current one, so a smaller share
    // would cost a fast transfer too many copies.
    private static let maxBytes = 512 << 10
    // A piece that is only gathered takes less than 0.1 µs.
    private static let maxPieces = 1_000
    // The clock is not read for a small body, which has fewer pieces.
    private static let piecesPerLook = 8

    private var round: UInt64 = 0
    private var bytes = 0
    private(set) var pieces = 0

    /// Counts a piece.
    ///
    /// - Returns: Whether it is within the share; the first piece of a round always is.
    mutating func take(_ count: Int, in current: CurlRound) -> Bool {
        if round != current.number {
            round = current.number
            (bytes, pieces) = (0, 0)
        }
        guard bytes < Self.maxBytes, pieces < Self.maxPieces else { return false }
        if pieces > 0, pieces.isMultiple(of: Self.piecesPerLook), current.isLong { return false }
        bytes += count
        pieces += 1
        return true
    }
}

extension CurlExchange {
    /// Smaller pieces are gathered until the end of the round, unless they are the first of it.
    private static let minPiece = 4 << 10
    /// Gathered bytes are handed on before there are more than these.
    private static let maxGathered = 16 << 10

    /// Receives the next decoded piece of a body.
    ///
    /// - Returns: The result for libcurl's write callback: the byte count, `kf_curl_write_pause`,
    ///   or 0 to stop.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if case .delivering = hop { return deliver(bytes) }
        if case .tentative(let response) = hop { consider(response) }
        switch hop {
        case .asking:
            isHeldBack = true
            return Int(kf_curl_write_pause)
        case .delivering:
            return deliver(bytes)
        case .discarding:
            guard share.take(bytes.count, in: round) else { return waitForNextRound() }
            discarded += bytes.count
            return discarded <= Self.maxDiscardedBytes ? bytes.count : 0
        case .head, .tentative:
            fail(.badResponse(reason: "it has a body but no head", url: url))
            return 0
        case .stopped:
            return 0
        }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !transfer.isCancelled else {
            fail(.cancelled)
            return 0
        }
        guard !transfer.isPaused else {
            isHeldBack = true
            return Int(kf_curl_write_pause)
        }
        guard metrics.bytes + bytes.count <= settings.maxBodyBytes else {
            fail(.bodyTooLarge(limit: settings.maxBodyBytes, url: url))
            return 0
        }
        guard share.take(bytes.count, in: round) else { return waitForNextRound() }
        metrics.bytes += bytes.count
        if bytes.count >= Self.minPiece || (share.pieces == 1 && gathered.isEmpty) {
            handOn()
            handler.transfer(transfer, didReceive: bytes.bytes)
        } else {
            gather(bytes)
        }
        return bytes.count
    }

    private func waitForNextRound() -> Int {
        isRationed = true
        round.wait(self)
        return Int(kf_curl_write_pause)
    }

    private func gather(_ bytes: UnsafeRawBufferPointer) {
        if gathered.count + bytes.count > Self.maxGathered { handOn() }
        if gathered.isEmpty { round.gather(self) }
        gathered.append(contentsOf: bytes)
    }

    /// Hands the gathered bytes to the handler, unless it has paused the transfer.
    func handOn() {
        guard !gathered.isEmpty, !transfer.isPaused, !transfer.isCancelled else { return }
        handler.transfer(transfer, didReceive: gathered.span.bytes)
        gathered.removeAll(keepingCapacity: true)
    }

    /// Whether the handler must resume the transfer before it can end.
    var hasHeldBytes: Bool { !gathered.isEmpty && transfer.isPaused && !transfer.isCancelled }

    /// Whether silence currently counts towards the idle time-out.
    var isIdleCounted: Bool {
        if case .asking = hop { return false }
        return !isWaitingForConnection && !transfer.isPaused
    }
}

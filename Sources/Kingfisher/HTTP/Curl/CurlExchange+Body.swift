import CKFCurl
import CKFCurlShim

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

/// The pieces of a body: small ones are gathered until the end of the round.
struct CurlPieces {
    /// Smaller pieces are gathered, unless they are the first of the round.
    private static let minPiece = 4 << 10
    /// Gathered bytes are handed on before there are more than these.
    private static let maxGathered = 16 << 10
    /// Bodies of redirects and challenges are read up to this size.
    ///
    /// Beyond it a new connection is cheaper than reading the rest.
    private static let maxDiscarded = 64 << 10

    private var share = CurlShare()
    private var gathered: [UInt8] = []
    private var discarded = 0

    /// Whether bytes wait to be handed on.
    var isGathering: Bool { !gathered.isEmpty }

    /// Counts a piece; false if the transfer has used its share of the round.
    mutating func take(_ count: Int, in round: CurlRound) -> Bool { share.take(count, in: round) }

    /// Counts a piece that is discarded; false if there are too many to go on.
    mutating func discard(_ count: Int) -> Bool {
        discarded += count
        return discarded <= Self.maxDiscarded
    }

    /// Hands a piece on, after those before it, or gathers it.
    ///
    /// - Returns: Whether the first bytes were gathered.
    mutating func add(
        _ bytes: UnsafeRawBufferPointer,
        _ handOn: (RawSpan) -> Void
    ) -> Bool {
        guard bytes.count < Self.minPiece, share.pieces > 1 || isGathering else {
            flush(handOn)
            handOn(bytes.bytes)
            return false
        }
        if gathered.count + bytes.count > Self.maxGathered { flush(handOn) }
        defer { gathered.append(contentsOf: bytes) }
        return gathered.isEmpty
    }

    /// Hands the gathered bytes on.
    mutating func flush(_ handOn: (RawSpan) -> Void) {
        guard isGathering else { return }
        handOn(gathered.span.bytes)
        gathered.removeAll(keepingCapacity: true)
    }
}

extension CurlExchange {
    /// Receives the next piece of a body.
    ///
    /// - Returns: The result for libcurl's write callback: the byte count, `kf_curl_write_pause`,
    ///   or 0 to stop.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if case .delivering = hop.phase { return deliver(bytes) }
        if case .tentative(let response) = hop.phase { consider(response) }
        switch hop.phase {
        case .asking:
            hop.isHeldBack = true
            return Int(kf_curl_write_pause)
        case .delivering:
            return deliver(bytes)
        case .discarding:
            guard hop.pieces.take(bytes.count, in: round) else { return waitForNextRound() }
            return hop.pieces.discard(bytes.count) ? bytes.count : 0
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
        let decoding = hop.decoding
        guard !transfer.isPaused, decoding?.hasRoom() ?? true else {
            hop.isHeldBack = true
            return Int(kf_curl_write_pause)
        }
        guard metrics.bytes + bytes.count <= settings.maxBodyBytes else {
            fail(.bodyTooLarge(limit: settings.maxBodyBytes, url: url))
            return 0
        }
        guard hop.pieces.take(bytes.count, in: round) else { return waitForNextRound() }
        metrics.bytes += bytes.count
        let isFirst = hop.pieces.add(bytes) { hand($0, to: decoding) }
        if isFirst { round.gather(self) }
        return bytes.count
    }

    private func waitForNextRound() -> Int {
        hop.isRationed = true
        round.wait(self)
        return Int(kf_curl_write_pause)
    }

    private func hand(_ bytes: RawSpan, to decoding: CurlDecoding?) {
        if let decoding {
            decoding.add(bytes)
        } else {
            handler.transfer(transfer, didReceive: bytes)
        }
    }

    /// Hands the gathered bytes to the handler, unless it has paused the transfer.
    func handOn() {
        guard hop.pieces.isGathering, !transfer.isPaused, !transfer.isCancelled else { return }
        let decoding = hop.decoding
        hop.pieces.flush { hand($0, to: decoding) }
    }

    /// Hands all bytes on, after the last of them.
    ///
    /// - Returns: Whether the handler has them; otherwise it must resume the transfer, or they are
    ///   being decoded.
    func finishBody() -> Bool {
        handOn()
        guard !hop.pieces.isGathering || transfer.isCancelled else { return false }
        guard let decoding = hop.decoding else { return true }
        defer { metrics.bytes = decoding.count }
        return decoding.finish()
    }

    /// Whether libcurl may have bytes of the body that it does not hand on.
    var isHeldUp: Bool { hop.isHeldBack || hop.isRationed || transfer.isPaused }

    /// Whether silence currently counts towards the idle time-out.
    var isIdleCounted: Bool {
        if case .asking = hop.phase { return false }
        return !hop.isWaitingForConnection && !transfer.isPaused && !hop.isHeldBack
    }
}

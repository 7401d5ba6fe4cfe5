import CCurlShim
import Foundation

extension CurlExchange {
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
        metrics.bytes += bytes.count
        handler.transfer(transfer, didReceive: bytes.bytes)
        return bytes.count
    }

    /// Whether silence currently counts towards the idle time-out.
    var isIdleCounted: Bool {
        if case .asking = hop { return false }
        return !isWaitingForConnection && !transfer.isPaused
    }
}

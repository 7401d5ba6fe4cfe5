import CKFCurl
import CKFCurlShim

// libcurl reads a connection up to a hundred times before other transfers continue, and calls back
// only for parts of a body and whole lines of a head. A server may send anything else for free: the
// extensions of chunks (RFC 9112, 7.1.1). `kf_trust.c` limits the reads of connections with TLS.

/// What one transfer has received on its connection.
struct CurlInput {
    /// The bytes that may arrive without a body: more than a buffer of libcurl, in which a part of
    /// the body may be.
    private static let maxOverhead = 256 << 10

    let all: Int
    let body: Int

    /// Whether hardly anything that arrived since an earlier look was a part of a body.
    func isFlood(since last: CurlInput) -> Bool {
        let (input, part) = (all - last.all, body - last.body)
        return input - part > Self.maxOverhead && part < input / 4
    }
}

extension CurlLoop {
    /// Makes libcurl read little at once of connections whose input is hardly a body, after a round
    /// that was long.
    ///
    /// Connections that may be shared are left out: on them, bytes are of any transfer. So are
    /// transfers whose body libcurl holds back.
    func restrictFloods() {
        for exchange in running.values where !exchange.isHeldUp {
            guard let handle = exchange.handle, let connection = exchange.hop.connection,
                !connection.isRestricted, connection.users == 1, kf_curl_uses_http2(handle) == 0,
                let all = connection.input
            else { continue }
            let input = CurlInput(all: all, body: exchange.wireBytes)
            defer { exchange.hop.input = input }
            var made = 0
            kf_curl_getinfo_long(handle, CURLINFO_NUM_CONNECTS, &made)
            let start = made > 0 ? CurlInput(all: 0, body: 0) : nil
            guard let last = exchange.hop.input ?? start, input.isFlood(since: last) else {
                continue
            }
            connection.restrict()
            // It stays slow, so no other transfer gets it.
            kf_curl_setopt_long(handle, CURLOPT_FORBID_REUSE, 1)
        }
    }
}

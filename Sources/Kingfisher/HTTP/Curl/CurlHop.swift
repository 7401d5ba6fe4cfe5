import CKFCurl

/// The state of one request of a transfer; each begins with a new value.
struct CurlHop {
    enum Phase {
        /// The head has not arrived.
        case head
        /// A 401 that libcurl may still handle itself (the first round of Digest).
        case tentative(TransferResponse)
        /// Waits for the handler's reply.
        case asking(CurlQuestion)
        /// The body is passed to the handler.
        case delivering
        /// The body is read and discarded, so that the connection can be reused.
        case discarding
        /// The hop was stopped; ``CurlExchange/failure`` is the reason.
        case stopped
    }

    var phase = Phase.head
    var head = CurlHead()
    /// The head of the response, once it is complete.
    var response: TransferResponse?
    /// libcurl's result, kept while the handler decides.
    var result: CURLcode?
    var pieces = CurlPieces()
    /// Decodes the body, if it has a coding.
    var decoding: CurlDecoding?
    /// Whether libcurl holds data back because a callback paused it.
    var isHeldBack = false
    /// Whether libcurl holds data back until the next round.
    var isRationed = false
    /// Whether the hop was stopped before its request, because bytes waited on its connection.
    var hasStaleConnection = false
    /// Whether the hop must not use a connection that was used before.
    let needsFreshConnection: Bool
    /// Whether the server requires HTTP/1.1.
    let needsHTTP1: Bool
    /// Whether the request was about to be sent on a connection.
    var isConnected = false
    /// When libcurl opened the first socket for it; nil while it may wait for the connection of
    /// another transfer.
    var socketTime: CurlTime?
    /// Whether it may wait for the handshake of another transfer.
    var waitsForHandshake = false
    /// Whether the server may be reached at an alternative that it has offered.
    var hasAlternative = false
    /// The connection on which the request was sent.
    var connection: CurlConnection?
    /// Whether the server does not answer this request on this connection (421).
    var isMisdirected = false
    var isWaitingForConnection = true
    /// When the hop began to wait for a connection.
    let queueTime: CurlTime
    /// What had arrived on the connection after the last long round.
    var input: CurlInput?
    /// The start of the measurement of the body's speed, and the bytes that had arrived.
    var measured: (from: CurlTime, wireBytes: Int)?

    init(queueTime: CurlTime, needsFreshConnection: Bool = false, needsHTTP1: Bool = false) {
        self.queueTime = queueTime
        self.needsFreshConnection = needsFreshConnection
        self.needsHTTP1 = needsHTTP1
    }

    /// Whether the next line of a head belongs to a trailer.
    var isBehindHead: Bool {
        switch phase {
        case .head, .tentative: false
        case .asking, .delivering, .discarding, .stopped: true
        }
    }
}

import Foundation

/// An interrupted body that a later request may continue.
struct InterruptedBody {
    let body: BodyBuffer
    let head: PartialHead
}

/// The part of a download's state that is about interrupted bodies: the one it continues, and the one
/// it leaves.
struct ResumptionState {
    /// The end of an interrupted body that was taken out of its store and not continued.
    enum Taken {
        case forget
        case putBack
    }

    /// The body that the running request asks to continue, until its response.
    private var found: PartialBodies.Found?
    /// Whether the running request asks for the rest of a body.
    private var asksForRest = false
    private var mustStartOver = false
    private var taken: Taken?
    /// Whether the server was reached by a request for the rest, and failed it.
    private var hasRestFailed = false
    /// Whether a request is being carried out whose end decides about the body that was taken.
    private var isDeciding = false
    /// The number of bytes of the body that was continued.
    private(set) var bytes = 0
    /// Whether the length of the body is known from the range of a part.
    private(set) var isMadeOfParts = false
    var interrupted: InterruptedBody?

    /// Records the body that the request sent now asks to continue.
    mutating func ask(for found: PartialBodies.Found?) {
        self.found = found
        asksForRest = found != nil
        if asksForRest { taken = .putBack }
    }

    /// Records that the request is sent.
    mutating func begin() { isDeciding = asksForRest || hasRestFailed }

    /// Records the end of a transfer.
    ///
    /// A request for the rest that reached its server and brought nothing has used the body up: a
    /// server that hangs on such requests would fail every later one, too. If it was followed by one
    /// for the whole, that one shows whether the server can be reached.
    ///
    /// - Parameter hasConnected: Whether the transfer had a connection.
    mutating func end(hasConnected: Bool) {
        isDeciding = false
        if asksForRest || hasRestFailed, hasConnected { taken = taken.map { _ in .forget } }
    }

    /// Whether a body of this size has more bytes than the one that was continued.
    func hasProgress(_ count: Int) -> Bool { count > bytes }

    /// Receives the head of a response.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - asksForPart: Whether the caller's request is for a part of the body.
    /// - Returns: The head to use, with the bytes before it, if any; no head if the transfer must start
    ///   over without the existing part.
    mutating func receive(
        _ response: TransferResponse,
        asksForPart: Bool
    ) -> (head: TransferResponse?, part: BodyBuffer?) {
        guard let found else {
            guard !asksForPart, let whole = ResumedAnswer.whole(response) else {
                return (response, nil)
            }
            isMadeOfParts = true
            return (whole, nil)
        }
        self.found = nil
        switch ResumedAnswer(response, after: found.head) {
        case .independent:
            asksForRest = false
            return (response, nil)
        case .rest(let whole):
            bytes = found.body.count
            isMadeOfParts = true
            return (whole, found.body)
        case .useless:
            mustStartOver = true
            return (nil, nil)
        }
    }

    /// Whether the ended transfer must be followed by one for the whole body.
    ///
    /// A request for the rest of a body is repeated for the whole, once, if it brought no byte of the
    /// rest, or more than the rest. Otherwise a server that does not support such requests would fail
    /// every later one.
    ///
    /// - Parameters:
    ///   - error: The error of the transfer.
    ///   - count: The size of the body so far.
    ///   - expected: Its expected size.
    /// - Returns: Whether the body is to be requested from its beginning.
    mutating func startsOver(after error: TransferError?, count: Int, expected: Int?) -> Bool {
        guard asksForRest, mustStartOver || hasFailed(error, count, expected) else { return false }
        hasRestFailed = !mustStartOver
        (found, asksForRest, mustStartOver, isDeciding) = (nil, false, false, false)
        (bytes, isMadeOfParts) = (0, false)
        return true
    }

    private func hasFailed(_ error: TransferError?, _ count: Int, _ expected: Int?) -> Bool {
        if let error { return error.mayConcernFields && count == bytes }
        guard isMadeOfParts, let expected else { return false }
        return count > expected || count == bytes
    }

    /// Releases the interrupted body that the ended download has taken.
    ///
    /// - Parameter response: The last response.
    /// - Returns: What becomes of its files, once; nil if none was taken, and while a cancelled request
    ///   that decides has not ended.
    mutating func takeTaken(_ response: TransferResponse?) -> Taken? {
        guard !isDeciding, let taken else { return nil }
        dropTaken()
        let isGone = response.map { $0.statusCode == 404 || $0.statusCode == 410 } ?? false
        return isGone ? .forget : taken
    }

    /// Records that the files of the interrupted body that was taken are replaced or removed.
    mutating func dropTaken() { (found, taken) = (nil, nil) }
}

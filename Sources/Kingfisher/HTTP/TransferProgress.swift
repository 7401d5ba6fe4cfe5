/// The progress of a body.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the body received so far, after decoding.
    public let received: Int
    /// Bytes announced by the server; `nil` if unknown, or if the body is compressed.
    public let expected: Int?

    /// Creates a progress value.
    ///
    /// - Parameters:
    ///   - received: Bytes of the body received so far, after decoding.
    ///   - expected: Bytes announced by the server, if known.
    public init(received: Int, expected: Int?) {
        self.received = received
        self.expected = expected
    }

    /// 0…1; `nil` if the total is unknown.
    public var fraction: Double? {
        guard let expected else { return nil }
        return expected > 0 ? min(1, Double(received) / Double(expected)) : 1
    }
}

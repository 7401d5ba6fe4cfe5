/// How far a body has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the body received so far, after decoding.
    public let received: Int
    /// Bytes that the server announced; `nil` if it did not, or if the body is compressed.
    public let expected: Int?

    /// Creates a progress value.
    public init(received: Int, expected: Int?) {
        self.received = received
        self.expected = expected
    }

    /// 0…1, or `nil` when the end is not known.
    public var fraction: Double? {
        guard let expected else { return nil }
        return expected > 0 ? min(1, Double(received) / Double(expected)) : 1
    }
}

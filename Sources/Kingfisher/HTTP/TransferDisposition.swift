/// The decision about a response whose head was received.
public enum TransferDisposition: Sendable {
    /// Deliver the body.
    case allow
    /// Stop; the transfer ends with ``TransferError/cancelled``.
    case cancel
    /// Stop; the transfer ends with ``TransferError/rejected(reason:url:)`` that carries the error.
    case reject(any Error)
}

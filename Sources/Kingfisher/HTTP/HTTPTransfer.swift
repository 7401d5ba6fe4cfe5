/// The caller's handle of a transfer.
///
/// All methods may be called on any thread at any time; they have no effect after the end.
/// Releasing the handle does not stop the transfer.
public protocol HTTPTransfer: AnyObject, Sendable {
    /// Stops the transfer.
    ///
    /// After this returns, no response, redirect, challenge or chunk is reported, except one whose
    /// delivery has already begun. `didFinish` follows with ``TransferError/cancelled``, unless the
    /// end was already being reported.
    func cancel()

    /// Stops reading: no chunk is delivered until ``resume()``, and the sender is slowed down.
    ///
    /// Paused time does not count as idle.
    func pause()

    /// Continues reading after ``pause()``.
    func resume()

    /// Changes the priority of a transfer that waits for a connection.
    ///
    /// - Parameter priority: 0 (last) … 1 (first).
    func setPriority(_ priority: Float)
}

/// A running transfer, seen from the one who started it.
///
/// All of it may be called from any thread, at any moment, also after the end, where it does
/// nothing. Dropping the handle does not stop the transfer.
public protocol HTTPTransfer: AnyObject, Sendable {
    /// Stops the transfer.
    ///
    /// No response, redirect, challenge or chunk is announced once this has returned, except one
    /// that is being delivered at that moment; `didFinish` follows with
    /// ``TransferError/cancelled`` unless the end was already on its way.
    func cancel()

    /// Stops reading: no chunk arrives until ``resume()``, and the sender is slowed down.
    ///
    /// Time spent paused does not count as idle.
    func pause()

    /// Goes on reading after ``pause()``.
    func resume()

    /// Changes the place in the queue of a transfer that waits for a connection.
    ///
    /// - Parameter priority: 0 (last) … 1 (first).
    func setPriority(_ priority: Float)
}

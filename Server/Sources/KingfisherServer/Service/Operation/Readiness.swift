import Synchronization

/// Whether the service takes requests, for `/health`.
///
/// An object of its own: Swift 6.3.1 fails to optimise an initialiser that throws in a class with
/// an `Atomic`.
final class Readiness: Sendable {
    private let isStopping = Atomic(false)

    /// False from the moment the service stops.
    var isReady: Bool { !isStopping.load(ordering: .relaxed) }

    /// Ends the readiness.
    func stop() { isStopping.store(true, ordering: .relaxed) }
}

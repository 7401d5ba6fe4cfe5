import Dispatch

/// Brings a progress closure to the main queue.
///
/// `@unchecked`: the public closure type does not promise `Sendable`; the closure is called on the
/// main queue alone.
final class ProgressReporter: @unchecked Sendable {
    private let block: (Int64, Int64) -> Void

    init(_ block: @escaping (Int64, Int64) -> Void) {
        self.block = block
    }

    func report(_ received: Int64, _ total: Int64) {
        DispatchQueue.main.async { self.block(received, total) }
    }
}

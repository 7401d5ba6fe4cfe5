import Dispatch

/// Calls a progress handler on the main queue.
///
/// `@unchecked`: the public closure type is not `Sendable`; the closure is called only on the main
/// queue.
final class ProgressReporter: @unchecked Sendable {
    private let block: (Int64, Int64) -> Void

    init(_ block: @escaping (Int64, Int64) -> Void) {
        self.block = block
    }

    func report(_ received: Int64, _ total: Int64) {
        DispatchQueue.main.async { self.block(received, total) }
    }
}

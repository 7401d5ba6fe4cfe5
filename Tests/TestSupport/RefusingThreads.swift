@_spi(Programs) package import Kingfisher
import Synchronization

/// Starts threads like the system, and refuses some of them.
package final class RefusingThreads: Sendable {
    private let count = Mutex(0)
    private let isRefused: @Sendable (Int) -> Bool

    /// - Parameter isRefused: Receives the number of each thread, from 1.
    package init(where isRefused: @escaping @Sendable (Int) -> Bool) {
        self.isRefused = isRefused
    }

    /// How many threads were asked for.
    package var startCount: Int { count.withLock { $0 } }

    package var starter: ThreadStarter {
        ThreadStarter { [self] name, stackBytes, body throws(ThreadRefused) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            // EAGAIN
            if isRefused(number) { throw ThreadRefused(code: 11) }
            try ThreadStarter.system(name, stackBytes: stackBytes, body)
        }
    }
}

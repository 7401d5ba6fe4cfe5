// Made from Sources/Kingfisher/Kingfisher.docc/ServerUse.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Kingfisher
import Synchronization

/// Numbers of loads, for a page that a monitoring system reads.
final class LoadCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func observe(_ manager: KingfisherManager) -> LoadObservation {
        manager.observeLoads { [self] event in
            switch event.kind {
            case .succeeded(let layer): count("loads{layer=\"\(layer)\"}")
            case .failed(let error): count("failures{code=\"\(error.errorCode)\"}")
            default: break
            }
        }
    }

    /// One line for each number.
    var page: String {
        counts.withLock { counts in
            counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
        }
    }

    private func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
}

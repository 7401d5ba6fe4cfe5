import Foundation
import Synchronization

extension DiskWriteQueue {
    /// The bytes to write.
    enum Bytes: Sendable {
        case ready(Data)
        /// Made when they are first needed; an encoded image, for example.
        case made(estimate: Int, by: Maker)

        static func made(estimate: Int, make: @escaping @Sendable () -> Data?) -> Self {
            .made(estimate: estimate, by: Maker(make))
        }

        var count: Int {
            switch self {
            case .ready(let data): data.count
            case .made(let estimate, _): estimate
            }
        }

        /// The bytes; `nil` if they cannot be made.
        var data: Data? {
            switch self {
            case .ready(let data): data
            case .made(_, let maker): maker.data
            }
        }
    }

    /// Makes bytes once, for the writer and for earlier readers.
    final class Maker: Sendable {
        private let make: @Sendable () -> Data?
        /// `nil` until they were made, or could not be.
        private let made = Mutex<Data??>(nil)

        init(_ make: @escaping @Sendable () -> Data?) { self.make = make }

        /// The first result; two callers at the same moment both make the bytes.
        var data: Data? {
            if let made = made.withLock({ $0 }) { return made }
            // Outside the lock, because it may call a custom serializer.
            let data = make()
            return made.withLock { made in
                if let made { return made }
                made = .some(data)
                return data
            }
        }
    }
}

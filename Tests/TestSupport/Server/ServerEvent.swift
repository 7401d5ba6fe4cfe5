import Foundation

/// A flag that threads can wait for together with sockets.
///
/// Once set, it stays set.
final class ServerEvent: Sendable {
    /// Readable from the moment the event is set.
    let descriptor: Int32
    private let input: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { preconditionFailure("no descriptor left for a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        input = ends[1]
    }

    deinit {
        close(descriptor)
        close(input)
    }

    func set() {
        var byte: UInt8 = 1
        write(input, &byte, 1)
    }
}

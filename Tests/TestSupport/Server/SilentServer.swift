import Foundation

/// Accepts connections on 127.0.0.1 and neither reads nor sends.
package final class SilentServer: Sendable {
    /// The port on which it listens.
    package let port: UInt16
    private let descriptor: Int32

    /// Starts listening.
    ///
    /// - Throws: An error if no socket is available.
    package init() throws {
        // The system completes connections that are not accepted.
        (descriptor, port) = try ServerSocket.listening(on: 0)
    }

    deinit { close(descriptor) }
}

import CCurl
import CCurlShim

/// The sockets of a transport's connections, to find those on which bytes wait.
///
/// Bytes that a server sends unasked on an idle connection would be read as the beginning of the
/// next response: another image under the next URL. libcurl reuses such connections before 8.0, so
/// they are refused before the request is sent. Later versions check it themselves, as do HTTP/2
/// connections, on which bytes may arrive at any time. Used only on the loop's thread.
final class CurlSockets {
    /// The two ends of a connection.
    struct Ends: Hashable {
        let port: Int32
        let peer: String
        let peerPort: Int32

        init(port: Int32, peer: UnsafePointer<CChar>?, peerPort: Int32) {
            self.port = port
            self.peer = peer.map { String(cString: $0) } ?? ""
            self.peerPort = peerPort
        }
    }

    private static let isNeeded =
        (curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0) < 0x080000

    /// The sockets on which no request has been sent yet.
    private var unused: Set<Int32> = []
    private var connections: [Ends: Int32] = [:]

    /// Makes the handle report closed sockets; the object must exist until all are closed.
    ///
    /// - Returns: This object; nil if this libcurl does not need it.
    func observe(_ handle: UnsafeMutableRawPointer) -> CurlSockets? {
        guard Self.isNeeded else { return nil }
        kf_curl_observe_closing(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            curlCloseCallback
        )
        return self
    }

    func opened(_ socket: Int32) {
        if socket >= 0 { unused.insert(socket) }
    }

    fileprivate func close(_ socket: Int32) -> Int32 {
        unused.remove(socket)
        if let ends = connections.first(where: { $0.value == socket })?.key {
            connections[ends] = nil
        }
        return kf_curl_close_socket(socket)
    }

    /// Looks whether a connection is new, or nothing has arrived on it since its last response.
    ///
    /// - Parameters:
    ///   - ends: The ends of the connection.
    ///   - handle: The handle that is about to use it.
    /// - Returns: False if the connection must not be used.
    func isQuiet(_ ends: Ends, _ handle: UnsafeMutableRawPointer) -> Bool {
        var made = 0
        kf_curl_getinfo_long(handle, CURLINFO_NUM_CONNECTS, &made)
        guard made == 0 else {
            let socket = unused.first { kf_curl_socket_port($0) == ends.port }
            if let socket { connections[ends] = unused.remove(socket) }
            return true
        }
        // A Unix domain socket has no port, and its server is a program of this machine.
        guard ends.port > 0 else { return true }
        // With TLS the bytes may be a harmless late ticket; then a handshake is wasted.
        guard let socket = connections[ends] else { return true }
        return kf_curl_socket_has_input(socket) == 0 || kf_curl_uses_http2(handle) != 0
    }
}

private let curlCloseCallback: curl_closesocket_callback = { context, socket in
    guard let context else { return kf_curl_close_socket(socket) }
    return Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().close(socket)
}

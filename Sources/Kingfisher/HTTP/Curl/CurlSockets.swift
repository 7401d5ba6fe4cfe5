import CKFCurl
import CKFCurlShim

/// One connection of a transport.
///
/// A class, because the number of a socket may be that of another connection a moment later. Used
/// only on the loop's thread.
final class CurlConnection {
    /// -1 after libcurl has closed it.
    fileprivate(set) var socket: Int32
    /// Nil until a request is sent on it.
    fileprivate(set) var ends: CurlSockets.Ends?
    /// The number of requests that wait on it for their responses.
    fileprivate(set) var users = 0
    /// Whether little is read from it at once.
    private(set) var isRestricted = false

    fileprivate init(_ socket: Int32) { self.socket = socket }

    /// Whether nothing has arrived for a time; nil if the system does not know.
    func isSilent(for time: Duration) -> Bool? {
        guard socket >= 0 else { return nil }
        let silence = kf_curl_socket_silence(socket)
        // The loop counts from the start of a round, the system from the arrival of the bytes.
        return silence < 0 ? nil : silence >= time.milliseconds * 9 / 10
    }

    /// The bytes that have been read from it; nil if the system does not know.
    var input: Int? {
        guard socket >= 0, case let count = kf_curl_socket_input(socket), count >= 0 else {
            return nil
        }
        return Int(count)
    }

    /// Makes the system keep few unread bytes: a hundred reads of libcurl are less than a megabyte
    /// then.
    func restrict() { isRestricted = kf_curl_restrict_input(socket) != 0 }

    /// Ends the connection: requests on it fail, and libcurl does not use it again.
    func end() {
        if socket >= 0 { kf_curl_end_socket(socket) }
    }
}

/// The connections of a transport, to find those that must not be used again.
///
/// libcurl does not notice that a connection is dead while transfers share it, and gives it to every
/// later transfer of its origin.
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

        func hasSamePeer(as other: Ends) -> Bool {
            peer == other.peer && peerPort == other.peerPort
        }
    }

    private static let reusesUnquiet =
        (curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0) < 0x080000

    /// The connections on which no request has been sent yet.
    private var unused: Set<Int32> = []
    private var connections: [Int32: CurlConnection] = [:]
    private var places: [Ends: CurlConnection] = [:]

    /// Makes the handle report closed sockets; the object must exist until all are closed.
    func observe(_ handle: UnsafeMutableRawPointer) {
        kf_curl_observe_closing(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            curlCloseCallback
        )
    }

    /// Records a new socket.
    ///
    /// - Parameters:
    ///   - socket: The socket; -1 if there is none.
    ///   - patience: How long sent bytes may stay without an acknowledgement.
    func opened(_ socket: Int32, patience: Duration) {
        guard socket >= 0 else { return }
        kf_curl_limit_acknowledgement(socket, UInt32(clamping: max(1, patience.milliseconds)))
        connections[socket] = CurlConnection(socket)
        unused.insert(socket)
    }

    fileprivate func close(_ socket: Int32) -> Int32 {
        unused.remove(socket)
        if let connection = connections.removeValue(forKey: socket) {
            connection.socket = -1
            if let ends = connection.ends, places[ends] === connection { places[ends] = nil }
        }
        return kf_curl_close_socket(socket)
    }

    /// Finds the connection on which a handle is about to send its request, and counts it there.
    ///
    /// - Parameters:
    ///   - ends: The ends of the connection.
    ///   - handle: The handle.
    /// - Returns: The connection; nil for a Unix domain socket, which has no ports.
    func use(_ ends: Ends, _ handle: UnsafeMutableRawPointer) -> CurlConnection? {
        guard ends.port > 0 else { return nil }
        var made = 0
        kf_curl_getinfo_long(handle, CURLINFO_NUM_CONNECTS, &made)
        if made > 0, let socket = unused.first(where: { kf_curl_socket_port($0) == ends.port }),
            let connection = connections[socket]
        {
            unused.remove(socket)
            connection.ends = ends
            places[ends] = connection
        }
        let connection = places[ends]
        connection?.users += 1
        return connection
    }

    /// Whether nothing has arrived on a connection since its last response, so that a handle may send
    /// its request on it.
    func isQuiet(_ connection: CurlConnection, _ handle: UnsafeMutableRawPointer) -> Bool {
        var made = 0
        kf_curl_getinfo_long(handle, CURLINFO_NUM_CONNECTS, &made)
        guard Self.reusesUnquiet, made == 0 else { return true }
        // With TLS the bytes may be a harmless late ticket; then a handshake is wasted.
        return kf_curl_socket_has_input(connection.socket) == 0 || kf_curl_uses_http2(handle) != 0
    }

    /// Ends a request's use of a connection.
    func leave(_ connection: CurlConnection) { connection.users -= 1 }

    /// Ends the idle connections to the peer of a dead one, on which nothing has arrived either.
    func endIdle(beside dead: CurlConnection, silentFor time: Duration) {
        guard let ends = dead.ends else { return }
        for connection in connections.values where connection.users == 0 {
            guard connection.ends?.hasSamePeer(as: ends) == true,
                connection.isSilent(for: time) == true
            else { continue }
            connection.end()
        }
    }

    /// Ends the connections that can no longer work after a change of the network, and the idle ones
    /// that may not.
    ///
    /// - Parameter isSuspect: Whether a connection may be dead, by the route to its peer.
    /// - Returns: The connections in use that may be dead.
    func review(_ isSuspect: (kf_curl_route) -> Bool) -> [CurlConnection] {
        var suspects: [CurlConnection] = []
        for connection in connections.values where connection.ends != nil {
            let route = kf_curl_socket_route(connection.socket)
            if route == kf_curl_route_lost || connection.users == 0 && isSuspect(route) {
                connection.end()
            } else if isSuspect(route) {
                suspects.append(connection)
            }
        }
        return suspects
    }
}

private let curlCloseCallback: curl_closesocket_callback = { context, socket in
    guard let context else { return kf_curl_close_socket(socket) }
    return Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().close(socket)
}

import CDispatch
import Foundation
import KingfisherServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Asks a running service whether it is ready, for containers that have no other program.
enum HealthCheck {
    /// The longest wait for each step.
    private static let seconds = 3

    /// Whether `/health` at an address answers with 200.
    static func isHealthy(_ address: ListenAddress) -> Bool {
        guard let file = connected(to: address) else { return false }
        defer { close(file) }
        let request = Array("GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8)
        guard send(file, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return false
        }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 512)
        while answer.count < 12 {
            let count = recv(file, &part, part.count, 0)
            guard count > 0 else { return false }
            answer += part[..<count]
        }
        return answer.starts(with: "HTTP/1.1 200".utf8) || answer.starts(with: "HTTP/1.0 200".utf8)
    }

    /// Why a service must not listen at an address; nil for no reason known before it tries.
    ///
    /// The system does not refuse the path of a socket that is in use: its file would be replaced.
    static func obstacle(at address: ListenAddress) -> String? {
        var status = stat()
        guard case .socket(let path) = address, lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            return "there is a file that is no socket"
        }
        guard let file = connected(to: address) else { return nil }
        close(file)
        return "another program listens there"
    }

    private static func connected(to address: ListenAddress) -> Int32? {
        switch address {
        case .socket(let path):
            var place = sockaddr_un()
            place.sun_family = sa_family_t(AF_UNIX)
            let size = MemoryLayout.size(ofValue: place.sun_path)
            guard path.utf8.count < size else { return nil }
            withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
            return withUnsafeBytes(of: &place) { connected(AF_UNIX, $0) }
        case .host(let host, let port):
            // An address for all interfaces is reached by that of this machine.
            let local = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(local, "\(port)", &hints, &found) == 0 else { return nil }
            defer { freeaddrinfo(found) }
            for entry in sequence(first: found?.pointee, next: { $0?.ai_next?.pointee }) {
                guard let entry, let place = entry.ai_addr else { return nil }
                let bytes = UnsafeRawBufferPointer(start: place, count: Int(entry.ai_addrlen))
                if let file = connected(entry.ai_family, bytes) { return file }
            }
            return nil
        }
    }

    private static func connected(_ family: Int32, _ place: UnsafeRawBufferPointer) -> Int32? {
        let file = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard file >= 0 else { return nil }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(file, SOL_SOCKET, option, &limit, size)
        }
        let status = place.withMemoryRebound(to: sockaddr.self) {
            connect(file, $0.baseAddress, socklen_t(place.count))
        }
        guard status == 0 else {
            close(file)
            return nil
        }
        return file
    }
}

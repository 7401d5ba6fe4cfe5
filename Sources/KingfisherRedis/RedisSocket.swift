#if Redis
internal import CKFRedisShim
import Foundation
import Glibc

/// A non-blocking connection to a server, with or without TLS.
///
/// Used on one thread.
final class RedisSocket {
    /// The readiness that a socket waits for.
    enum Progress {
        case done
        case waits(forWriting: Bool)
    }

    let descriptor: Int32
    private let address: RedisAddress
    private let settings: RedisSettings
    private var tls: UnsafeMutableRawPointer?
    private var isConnected = false

    /// Starts connecting; resolving a host's name blocks.
    init(_ address: RedisAddress, _ settings: RedisSettings, attempt: Int) throws(RedisError) {
        self.address = address
        self.settings = settings
        switch address.endpoint {
        case .host(let host, let port, _):
            descriptor = kf_redis_connect(host, "\(port)", UInt32(truncatingIfNeeded: attempt))
        case .path(let path): descriptor = kf_redis_connect_path(path)
        }
        guard descriptor >= 0 else {
            let reason = String(cString: kf_redis_connect_error(descriptor))
            throw RedisError("\(address.name) cannot be reached: \(reason).")
        }
    }

    deinit {
        kf_redis_tls_free(tls)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Continues connecting.
    func connect() throws(RedisError) -> Progress {
        if !isConnected {
            let error = kf_redis_socket_error(descriptor)
            guard error == 0 else {
                let reason = String(cString: strerror(error))
                throw RedisError("\(address.name) cannot be reached: \(reason).")
            }
            isConnected = true
        }
        guard case .host(let host, _, isEncrypted: true) = address.endpoint else { return .done }
        if tls == nil {
            tls = kf_redis_tls_new(
                descriptor,
                host,
                settings.certificateFile,
                settings.verifiesCertificate ? 1 : 0
            )
            guard tls != nil else { throw failure("TLS cannot be set up") }
        }
        switch kf_redis_tls_handshake(tls) {
        case 1: return .done
        case Int32(KF_REDIS_WANTS_READ): return .waits(forWriting: false)
        case Int32(KF_REDIS_WANTS_WRITE): return .waits(forWriting: true)
        default: throw failure("TLS failed")
        }
    }

    /// Reads available bytes into a buffer; nil if it has to wait.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(RedisError) -> Int? {
        let count = kf_redis_receive(descriptor, tls, buffer.baseAddress, buffer.count)
        if count > 0 { return count }
        if isWish(count) { return nil }
        throw RedisError("\(address.name) closed the connection.")
    }

    /// Writes bytes; nil if it has to wait.
    func send(_ bytes: UnsafeRawBufferPointer) throws(RedisError) -> Int? {
        let count = kf_redis_send(descriptor, tls, bytes.baseAddress, bytes.count)
        if count > 0 { return count }
        if isWish(count) { return nil }
        throw RedisError("The connection to \(address.name) was lost.")
    }

    private func isWish(_ count: Int) -> Bool {
        count == Int(KF_REDIS_WANTS_READ) || count == Int(KF_REDIS_WANTS_WRITE)
    }

    private func failure(_ what: String) -> RedisError {
        var text = [CChar](repeating: 0, count: 200)
        kf_redis_tls_error(tls, &text, text.count)
        let reason = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        return RedisError("\(what) with \(address.name): \(reason ?? "").")
    }
}
#endif

import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Calls back when the kernel's addresses or routes change, until it is released.
///
/// Listens on an rtnetlink socket and ignores the content of the messages. If no such socket is
/// available, as in some sandboxes, it calls back once per second instead.
final class RouteWatch: Sendable {
    private let stop: @Sendable () -> Void

    /// Starts watching.
    init(onChange: @escaping @Sendable () -> Void) {
        let routes = RouteSocket()
        guard routes.isOpen else {
            let timer = WallClock.system.every(1, onChange)
            stop = { withExtendedLifetime(timer) {} }
            return
        }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: routes.descriptor,
            queue: .global(qos: .userInteractive)
        )
        source.setEventHandler {
            _ = routes.receive()
            onChange()
        }
        source.setCancelHandler { withExtendedLifetime(routes) {} }
        source.activate()
        let handle = SourceHandle(source: source)
        stop = { handle.source.cancel() }
    }

    deinit { stop() }

    /// Whether the kernel has a route to the outside, over IPv4 or IPv6.
    ///
    /// Connecting a datagram socket consults the routing table without sending anything. The
    /// addresses are reserved for documentation (RFC 5737, RFC 3849), so only a default route
    /// matches them.
    static func hasRoute() -> Bool {
        hasRoute(to: "198.51.100.1", family: AF_INET)
            || hasRoute(to: "2001:db8::1", family: AF_INET6)
    }

    private static func hasRoute(to address: String, family: Int32) -> Bool {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if family == AF_INET {
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = in_port_t(9).bigEndian
            inet_pton(family, address, &target.sin_addr)
            return connects(descriptor, to: &target)
        }
        var target = sockaddr_in6()
        target.sin6_family = sa_family_t(AF_INET6)
        target.sin6_port = in_port_t(9).bigEndian
        inet_pton(family, address, &target.sin6_addr)
        return connects(descriptor, to: &target)
    }

    private static func connects<Address>(
        _ descriptor: Int32,
        to address: inout Address
    ) -> Bool {
        let length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, length) == 0
            }
        }
    }
}

/// Passes a dispatch source to a `Sendable` closure.
///
/// `@unchecked`: sources can be cancelled on any thread, but their protocol is not `Sendable`.
private struct SourceHandle: @unchecked Sendable {
    let source: any DispatchSourceRead
}

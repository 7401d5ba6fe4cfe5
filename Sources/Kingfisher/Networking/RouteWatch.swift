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
        guard let descriptor = Self.openSocket() else {
            let timer = WallClock.system.every(1, onChange)
            stop = { withExtendedLifetime(timer) {} }
            return
        }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: .global(qos: .userInteractive)
        )
        source.setEventHandler {
            Self.drain(descriptor)
            onChange()
        }
        source.setCancelHandler { close(descriptor) }
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
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | closeOnExec, 0)
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

    // MARK: The socket

    /// `struct sockaddr_nl` of <linux/netlink.h>, which Swift does not import.
    private struct NetlinkAddress {
        var family = sa_family_t(AF_NETLINK)
        var padding: UInt16 = 0
        var port: UInt32 = 0
        /// Links, IPv4 addresses and routes, IPv6 addresses and routes: RTMGRP_LINK = 1,
        /// RTMGRP_IPV4_IFADDR = 0x10, RTMGRP_IPV4_ROUTE = 0x40, RTMGRP_IPV6_IFADDR = 0x100,
        /// RTMGRP_IPV6_ROUTE = 0x400.
        var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    }

    private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

    private static func openSocket() -> Int32? {
        let type = Int32(SOCK_RAW.rawValue) | closeOnExec | Int32(SOCK_NONBLOCK.rawValue)
        // NETLINK_ROUTE is protocol 0.
        let descriptor = socket(AF_NETLINK, type, 0)
        guard descriptor >= 0 else { return nil }
        var address = NetlinkAddress()
        let length = socklen_t(MemoryLayout<NetlinkAddress>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 8) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, 0) > 0 {}
        }
    }
}

/// Passes a dispatch source to a `Sendable` closure.
///
/// `@unchecked`: sources can be cancelled on any thread, but their protocol is not `Sendable`.
private struct SourceHandle: @unchecked Sendable {
    let source: any DispatchSourceRead
}

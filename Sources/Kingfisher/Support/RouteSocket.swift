import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket on which the kernel reports changes of links, addresses and routes (rtnetlink).
final class RouteSocket: Sendable {
    /// What the messages are about.
    enum Change {
        case none
        /// Something was added or changed.
        case added
        /// Something was removed, or messages were lost.
        case removed
    }

    /// Readable after a change; -1 if no such socket is available, as in some sandboxes.
    let descriptor: Int32

    var isOpen: Bool { descriptor >= 0 }

    init() {
        descriptor = Self.openSocket()
    }

    deinit {
        if isOpen { close(descriptor) }
    }

    /// Reads all messages.
    func receive() -> Change {
        var change = Change.none
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == ENOBUFS {
                    change = .removed
                    continue
                }
                guard count > 0 else { return }
                let isRemoval = Self.hasRemoval(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                if isRemoval { change = .removed }
                if case .none = change { change = .added }
            }
        }
        return change
    }

    /// Whether one of the messages is about something that was removed.
    private static func hasRemoval(_ messages: UnsafeRawBufferPointer) -> Bool {
        // RTM_DELLINK, RTM_DELADDR, RTM_DELROUTE
        let removals: Set<UInt16> = [17, 21, 25]
        let headBytes = 16
        var start = 0
        while start + headBytes <= messages.count {
            let length = Int(messages.loadUnaligned(fromByteOffset: start, as: UInt32.self))
            let type = messages.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self)
            if removals.contains(type) { return true }
            guard length >= headBytes else { return false }
            // Messages begin at multiples of 4.
            start += (length + 3) / 4 * 4
        }
        return false
    }

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

    private static func openSocket() -> Int32 {
        let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        // NETLINK_ROUTE is protocol 0.
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | flags, 0)
        guard descriptor >= 0 else { return -1 }
        var address = NetlinkAddress()
        let length = socklen_t(MemoryLayout<NetlinkAddress>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}

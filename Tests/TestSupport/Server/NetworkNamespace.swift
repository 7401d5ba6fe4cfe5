import Foundation
@_spi(Programs) package import Kingfisher
import Synchronization

/// A network of its own for some threads, joined to the machine's by two virtual interfaces (veth).
///
/// The machine has the address ``server``, the threads have one that can change.
package final class NetworkNamespace: Sendable {
    /// Whether this process may make one.
    package static let isAvailable: Bool =
        getuid() == 0 && FileManager.default.isExecutableFile(atPath: ip)
        && (try? NetworkNamespace()) != nil

    private static let ip = "/usr/sbin/ip"
    private static let lastNumber = Atomic<Int>(0)

    /// The machine's address.
    package let server: String
    private let name: String
    private let network: String
    private let outside: String
    private let inside: String

    /// Makes the namespace, with the address 2 of its network.
    ///
    /// - Throws: An error if a program fails.
    package init() throws {
        let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        // The name of an interface has at most 15 bytes.
        let process = Int(getpid())
        let suffix = "\(process % 10_000)x\(number)"
        (name, outside, inside) = ("kfn\(suffix)", "kfo\(suffix)", "kfi\(suffix)")
        network = "10.213.\((process + number) % 250)"
        server = "\(network).1"
        do {
            try Self.run("netns", "add", name)
            try Self.run(
                "link",
                "add",
                outside,
                "type",
                "veth",
                "peer",
                "name",
                inside,
                "netns",
                name
            )
            try Self.run("addr", "add", "\(server)/24", "dev", outside)
            try Self.run("link", "set", outside, "up")
            try Self.run("-n", name, "addr", "add", "\(network).2/24", "dev", inside)
            try Self.run("-n", name, "link", "set", inside, "up")
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private func remove() {
        // Fails if they were not made.
        try? Self.run("link", "del", outside)
        try? Self.run("netns", "del", name)
    }

    /// Gives the threads another address, as another Wi-Fi does.
    ///
    /// - Throws: An error if a program fails.
    package func changeAddress() throws {
        try Self.run("-n", name, "addr", "del", "\(network).2/24", "dev", inside)
        try Self.run("-n", name, "addr", "add", "\(network).3/24", "dev", inside)
    }

    /// Starts threads that have this network.
    package var threads: ThreadStarter {
        ThreadStarter { [name] thread, stackBytes, body throws(ThreadRefused) in
            try ThreadStarter.system(thread, stackBytes: stackBytes) {
                let file = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
                guard file >= 0, Self.enter(file) else {
                    preconditionFailure("the thread cannot enter \(name): \(errno)")
                }
                close(file)
                body()
            }
        }
    }

    /// Moves the calling thread to a namespace.
    private static func enter(_ file: Int32) -> Bool {
        // Swift's module of the C library has neither the function nor its flag.
        typealias SetNamespace = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, "setns") else { return false }
        let newNetwork: Int32 = 0x4000_0000
        return unsafeBitCast(symbol, to: SetNamespace.self)(file, newNetwork) == 0
    }

    private static func run(_ arguments: String...) throws {
        try NginxServer.run(ip, arguments)
    }
}

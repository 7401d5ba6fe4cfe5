import Foundation
import Testing

@testable import KingfisherRedis

/// Three masters of a Redis Cluster on this machine, each with a third of the slots.
final class RedisCluster: Sendable {
    let servers: [RedisServer]
    let addresses: [String]

    /// Starts the servers, and returns when each knows all of them.
    init() async throws {
        let ports = try (0..<3).map { _ in (try FreePort.find(), try FreePort.find()) }
        servers = try ports.map { port, bus in
            try RedisServer([
                "--port", "\(port)", "--bind", "127.0.0.1", "--cluster-enabled", "yes",
                "--cluster-port", "\(bus)", "--cluster-require-full-coverage", "no",
            ])
        }
        addresses = ports.map { "redis://127.0.0.1:\($0.0)" }
        for (index, first) in [0, 5_461, 10_923].enumerated() {
            let last = [5_460, 10_922, 16_383][index]
            try await run("CLUSTER ADDSLOTSRANGE \(first) \(last)", on: index)
            try await run("CLUSTER SET-CONFIG-EPOCH \(index + 1)", on: index)
        }
        for (port, bus) in ports.dropFirst() {
            try await run("CLUSTER MEET 127.0.0.1 \(port) \(bus)", on: 0)
        }
        for index in 0..<3 {
            while try await slots(index)?.masters.count != 3 { try Task.checkCancellation() }
            while try await !text("CLUSTER INFO", on: index).contains("cluster_state:ok") {
                try Task.checkCancellation()
            }
        }
    }

    /// The reply of a server to a command without spaces in its words.
    @discardableResult
    func run(_ command: String, on index: Int) async throws -> RedisReply {
        let client = try RedisClient(try RedisAddress(addresses[index]), RedisSettings())
        defer { client.close() }
        let words = command.split(separator: " ").map { Data($0.utf8) }
        let reply = try #require(try await client.run([words]).first)
        if case .error(let text) = reply { throw RedisError("\(command): \(text)") }
        return reply
    }

    func text(_ command: String, on index: Int) async throws -> String {
        guard case .bytes(let bytes) = try await run(command, on: index) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The map as a server has it.
    func slots(_ index: Int) async throws -> RedisSlots? {
        RedisSlots(
            try await run("CLUSTER SLOTS", on: index),
            from: try RedisAddress(addresses[index])
        )
    }

    /// The number of the master of a name's value.
    func owner(of name: String) async throws -> Int? {
        let master = try await slots(0)?.master(of: Data("kf:value:\(name)".utf8))
        return try addresses.firstIndex { try RedisAddress($0) == master }
    }
}

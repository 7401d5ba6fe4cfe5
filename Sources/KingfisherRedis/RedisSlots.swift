#if Redis
import Foundation

/// Which masters of a cluster have which keys.
///
/// A cluster divides all keys into 16,384 slots, and the slots among its masters.
struct RedisSlots: Sendable {
    static let count = 16_384
    /// The maximum number of masters that are used.
    static let maximalMasters = 256

    /// The masters, without duplicates.
    let masters: [RedisAddress]
    /// The index of the master of each slot; -1 for none.
    private let owners: [Int16]

    /// Reads the reply to `CLUSTER SLOTS`; nil if it is another one.
    ///
    /// - Parameters:
    ///   - reply: A list of ranges, each with its master and replicas.
    ///   - asked: The server that sent it, whose name takes the place of one that is missing.
    init?(_ reply: RedisReply, from asked: RedisAddress) {
        guard case .list(let ranges) = reply else { return nil }
        var masters: [RedisAddress] = []
        var owners = [Int16](repeating: -1, count: Self.count)
        for range in ranges {
            guard case .list(let parts) = range, parts.count >= 3,
                case .integer(let first) = parts[0], case .integer(let last) = parts[1],
                0 <= first, first <= last, last < Self.count,
                case .list(let node) = parts[2], node.count >= 2,
                case .integer(let port) = node[1]
            else { return nil }
            var host = ""
            if case .bytes(let name) = node[0] { host = String(decoding: name, as: UTF8.self) }
            guard let address = asked.at(host, port: Int(port)) else { return nil }
            let index = masters.firstIndex(of: address) ?? masters.count
            guard index < Self.maximalMasters else { return nil }
            if index == masters.count { masters.append(address) }
            for slot in Int(first)...Int(last) { owners[slot] = Int16(index) }
        }
        guard !masters.isEmpty else { return nil }
        (self.masters, self.owners) = (masters, owners)
    }

    /// The master of a key; nil while no master has its slot.
    func master(of key: Data) -> RedisAddress? {
        let owner = Int(owners[Self.slot(of: key)])
        return owner < 0 ? nil : masters[owner]
    }

    /// The slot of a key: the CRC-16 (XMODEM) of its text between the first braces, or of all of it.
    static func slot(of key: Data) -> Int {
        var part = key[...]
        if let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        {
            part = key[(open + 1)..<close]
        }
        let sum = part.reduce(UInt16(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in
                sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021
            }
        }
        return Int(sum) % count
    }
}

/// The reply of a cluster's server that another one has a key.
struct RedisRedirection: Sendable {
    /// Whether the key is there from now on, or only this time, while its slot moves.
    let isLasting: Bool
    let address: RedisAddress

    /// Reads an error such as `MOVED 3999 127.0.0.1:6381`; nil for another one.
    init?(_ reply: RedisReply, from asked: RedisAddress) {
        guard case .error(let text) = reply else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 3, words[0] == "MOVED" || words[0] == "ASK",
            let colon = words[2].lastIndex(of: ":"),
            let port = Int(words[2][words[2].index(after: colon)...]),
            let address = asked.at(String(words[2][..<colon]), port: port)
        else { return nil }
        (isLasting, self.address) = (words[0] == "MOVED", address)
    }
}
#endif

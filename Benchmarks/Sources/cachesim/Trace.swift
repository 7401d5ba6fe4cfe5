import Chance
import Foundation

/// A sequence of requests for objects of several sizes.
struct Trace {
    let name: String
    let title: String
    /// The bytes of each object.
    let sizes: [Int]
    /// The requested objects, in order.
    let requests: [Int32]
    /// The capacities to simulate, as shares of the footprint.
    var shares = [0.003, 0.01, 0.03, 0.1, 0.3]

    /// The bytes of all requested objects.
    var footprint: Int { Set(requests).reduce(0) { $0 + sizes[Int($1)] } }
}

extension Trace {
    /// The default traces, equal in each run.
    static func all() -> [Trace] { [zipf(), scan(), feed(), loop(), list(), carousel(), zoom()] }

    private static let loopShares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]

    private static let objects = 20_000
    private static let count = 300_000

    /// Sizes of decoded thumbnails and photographs: 20 KB to 4 MB, mostly small ones.
    private static func sizes(_ random: inout Random) -> [Int] {
        (0..<objects).map { _ in
            let share = random.unit()
            return 20_000 + Int(share * share * share * share * 4_000_000)
        }
    }

    private static func zipf() -> Trace {
        var random = Random(seed: 11)
        let sizes = sizes(&random)
        let zipf = Zipf(count: objects, exponent: 0.9)
        let requests = (0..<count).map { _ in Int32(zipf.draw(&random)) }
        return Trace(
            name: "zipf",
            title: "popularity by Zipf's law (0.9)",
            sizes: sizes,
            requests: requests
        )
    }

    private static func scan() -> Trace {
        var random = Random(seed: 12)
        let sizes = sizes(&random)
        // The popular objects are the first tenth; the others are scanned once in a while.
        let zipf = Zipf(count: objects / 10, exponent: 0.9)
        var requests: [Int32] = []
        var next = objects / 10
        while requests.count < count {
            for _ in 0..<2000 { requests.append(Int32(zipf.draw(&random))) }
            for _ in 0..<1000 {
                requests.append(Int32(next))
                next = next + 1 < objects ? next + 1 : objects / 10
            }
        }
        return Trace(
            name: "scan",
            title: "popular objects, interrupted by scans through all others",
            sizes: sizes,
            requests: requests
        )
    }

    private static func loop() -> Trace {
        var random = Random(seed: 13)
        let sizes = sizes(&random)
        let length = objects / 10
        return Trace(
            name: "loop",
            title: "the same 2,000 objects repeatedly in the same order",
            sizes: sizes,
            requests: (0..<count / 2).map { Int32($0 % length) },
            shares: loopShares
        )
    }

    private static func list() -> Trace {
        let rows = 1_000
        let turn = 2 * (rows - 1)
        return Trace(
            name: "list",
            title: "1,000 rows of equal size, scrolled down and back up 50 times",
            sizes: Array(repeating: 160_000, count: rows),
            requests: (0..<100 * rows).map { Int32(min($0 % turn, turn - $0 % turn)) },
            shares: loopShares
        )
    }

    private static func carousel() -> Trace {
        var random = Random(seed: 15)
        let (count, visible) = (300, 5)
        var requests: [Int32] = []
        var first = 0
        // Advances a page at a time, and sometimes goes back by a few; what becomes visible is
        // requested.
        while requests.count < 60_000 {
            let goesBack = random.unit() < 0.02
            for _ in 0..<(goesBack ? 3 : 1) {
                first += goesBack ? count - 1 : 1
                requests.append(Int32((goesBack ? first : first + visible - 1) % count))
            }
        }
        return Trace(
            name: "carousel",
            title: "a carousel of 300 images, 5 of them visible, that sometimes goes back by 3",
            sizes: Array(repeating: 400_000, count: count),
            requests: requests,
            shares: loopShares
        )
    }

    private static func zoom() -> Trace {
        var random = Random(seed: 16)
        let levels = 5
        func tiles(_ level: Int, _ x: Double, _ y: Double) -> [Int32] {
            let side = 4 << level
            let before = (0..<level).reduce(0) { $0 + (4 << $1) * (4 << $1) }
            let corner = [x, y].map { min(max(Int($0 * Double(side)) - 2, 0), side - 4) }
            return (0..<16).map { tile in
                Int32(before + (corner[1] + tile / 4) * side + corner[0] + tile % 4)
            }
        }
        let requests = (0..<500).flatMap { _ in
            let (x, y) = (random.unit(), random.unit())
            let path = Array(0..<levels) + (0..<levels - 1).reversed()
            return path.flatMap { tiles($0, x, y) }
        }
        return Trace(
            name: "zoom",
            title: "a large image in tiles, zoomed in to 500 places and out again",
            sizes: Array(repeating: 262_144, count: (requests.max().map(Int.init) ?? 0) + 1),
            requests: requests,
            shares: loopShares
        )
    }

    private static func feed() -> Trace {
        var random = Random(seed: 14)
        let sizes = sizes(&random)
        let zipf = Zipf(count: 500, exponent: 0.8)
        var requests: [Int32] = []
        var position = 500
        // Scrolls down a feed in bursts and sometimes back up, with recurring portraits.
        while requests.count < count {
            let goesBack = random.unit() < 0.3
            let steps = 10 + Int(random.unit() * 60)
            for _ in 0..<steps {
                position += goesBack ? -1 : 1
                position = min(objects - 1, max(500, position))
                requests.append(Int32(position))
                if random.unit() < 0.5 { requests.append(Int32(zipf.draw(&random))) }
            }
            if position == objects - 1 { position = 500 }
        }
        return Trace(
            name: "feed",
            title: "a feed scrolled down and back up, with portraits that recur",
            sizes: sizes,
            requests: requests
        )
    }
}

extension Trace {
    /// Reads a file with a request per line: a key, and optionally its bytes after a space or comma.
    init?(file path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        var numbers: [Substring: Int32] = [:]
        var sizes: [Int] = []
        var requests: [Int32] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = Substring(line).split { $0 == " " || $0 == "," }
            guard let key = fields.first else { continue }
            let number = numbers[key] ?? Int32(sizes.count)
            if number == sizes.count {
                numbers[key] = number
                sizes.append(max(fields.count > 1 ? Int(fields[1]) ?? 1 : 1, 1))
            }
            requests.append(number)
        }
        guard !requests.isEmpty else { return nil }
        self.init(
            name: (path as NSString).lastPathComponent,
            title: "\(requests.count) requests of \(sizes.count) objects",
            sizes: sizes,
            requests: requests
        )
    }
}

import Chance

/// A sequence of requests for objects of several sizes.
struct Trace {
    let name: String
    let title: String
    /// The bytes of each object.
    let sizes: [Int]
    /// The requested objects, in order.
    let requests: [Int32]

    /// The bytes of all requested objects.
    var footprint: Int { Set(requests).reduce(0) { $0 + sizes[Int($1)] } }
}

extension Trace {
    /// The default traces, equal in each run.
    static func all() -> [Trace] { [zipf(), scan(), loop(), feed()] }

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
            requests: (0..<count / 2).map { Int32($0 % length) }
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

import Foundation

/// Replays traces through the memory cache and through other policies, and prints hit ratios.
///
/// Usage: cachesim [TRACE]...
@main
struct CacheSim {
    static func main() {
        let names = Set(CommandLine.arguments.dropFirst())
        let traces = Trace.all()
        if let unknown = names.subtracting(traces.map(\.name)).first {
            let known = traces.map(\.name).joined(separator: ", ")
            FileHandle.standardError.write(
                Data("cachesim: there is no trace '\(unknown)'; choose from \(known)\n".utf8)
            )
            exit(2)
        }
        for trace in traces where names.isEmpty || names.contains(trace.name) { replay(trace) }
    }

    private static func replay(_ trace: Trace) {
        print("\(trace.name): \(trace.title)")
        print(
            "  hits of objects / bytes, in per cent, by capacity as a share of all requested bytes"
        )
        let footprint = trace.footprint
        for share in [0.003, 0.01, 0.03, 0.1, 0.3] {
            let capacity = Int(Double(footprint) * share)
            var line = String(format: "  %5.1f %%", share * 100)
            for var policy in policies(for: trace, capacity: capacity) {
                let (objects, bytes) = ratios(of: &policy, on: trace)
                line += String(format: "   %@ %4.1f / %4.1f", policy.name, objects, bytes)
            }
            print(line)
        }
        print("")
    }

    private static func policies(for trace: Trace, capacity: Int) -> [any Policy] {
        let count = trace.sizes.count
        return [
            KingfisherPolicy(capacity: capacity),
            QueuePolicy(name: "LRU", movesOnHit: true, capacity: capacity, objects: count),
            QueuePolicy(name: "FIFO", movesOnHit: false, capacity: capacity, objects: count),
            BeladyPolicy(trace: trace, capacity: capacity),
        ]
    }

    /// The hit ratios of requests and of bytes in per cent.
    private static func ratios(
        of policy: inout any Policy,
        on trace: Trace
    ) -> (objects: Double, bytes: Double) {
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for object in trace.requests {
            let size = trace.sizes[Int(object)]
            bytes += size
            if policy.request(object, size: size) {
                hits += 1
                hitBytes += size
            }
        }
        let count = Double(trace.requests.count)
        return (100 * Double(hits) / count, 100 * Double(hitBytes) / Double(bytes))
    }
}

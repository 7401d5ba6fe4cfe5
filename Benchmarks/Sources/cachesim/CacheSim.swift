import Foundation

/// Replays traces through the memory cache, LRU and the optimum, and prints hit ratios.
///
/// Usage: cachesim [TRACE]...
///
/// A trace is a name, or a file with a request per line: a key, and optionally its bytes.
@main
struct CacheSim {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let names = Set(arguments.filter { !$0.contains("/") })
        var traces = Trace.all()
        if let unknown = names.subtracting(traces.map(\.name)).first {
            let known = traces.map(\.name).joined(separator: ", ")
            FileHandle.standardError.write(
                Data("cachesim: there is no trace '\(unknown)'; choose from \(known)\n".utf8)
            )
            exit(2)
        }
        if !arguments.isEmpty { traces.removeAll { !names.contains($0.name) } }
        for path in arguments where path.contains("/") {
            guard let trace = Trace(file: path) else {
                FileHandle.standardError.write(Data("cachesim: cannot read '\(path)'\n".utf8))
                exit(2)
            }
            traces.append(trace)
        }
        for trace in traces { replay(trace) }
    }

    private static func replay(_ trace: Trace) {
        print("\(trace.name): \(trace.title)")
        print(
            "  hits of objects / bytes, in per cent, by capacity as a share of all requested bytes"
        )
        let footprint = trace.footprint
        for share in trace.shares {
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
        [
            KingfisherPolicy(capacity: capacity),
            LRUPolicy(capacity: capacity, objects: trace.sizes.count),
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

import Dispatch
import Foundation
import Kingfisher
import Synchronization

/// The cost of decoding in worker processes, compared with decoding in this process.
enum IsolationExperiment {
    static let experiment = Experiment(
        name: "isolation",
        title: "decoding in a worker process: CPU and latency compared with this process"
    ) { folder in
        try ProcessIsolation.requireWorkers()
        let photo = try Data(contentsOf: folder.appendingPathComponent("12mp-dense.jpg"))
        let small = try smallFile(of: photo)
        let thumbnail = DownsamplingImageProcessor(size: CGSize(width: 320, height: 320))
        return try lines("12 MP to 320 px", photo, thumbnail, rounds: 40, cpu: 1.1, latency: 8)
            + lines(
                "\(small.count / 1000) KB to 200 px",
                small,
                DownsamplingImageProcessor(size: CGSize(width: 200, height: 200)),
                rounds: 400,
                cpu: nil,
                latency: 0.4
            )
            + lines(
                "\(small.count / 1000) KB whole",
                small,
                DefaultImageProcessor.default,
                rounds: 400,
                cpu: nil,
                latency: 0.4
            )
    }

    /// The costs of many sequential loads.
    private struct Costs {
        /// Seconds of CPU time, including that of the workers.
        var cpu = 0.0
        var latencies: [Double] = []

        var latency: Double { latencies.sorted()[latencies.count / 2] }
        var perLoad: Double { cpu / Double(latencies.count) }
    }

    private static func lines(
        _ name: String,
        _ file: Data,
        _ processor: any ImageProcessor,
        rounds: Int,
        cpu: Double?,
        latency: Double
    ) throws -> [String] {
        var (here, apart) = (Costs(), Costs())
        // Alternating, so that other load on the machine affects both.
        for round in 0..<(rounds + 4) {
            var (first, second) = (Costs(), Costs())
            try load(file, processor, [], round, into: &first)
            try load(file, processor, [.isolated], round, into: &second)
            // The first loads fill caches and wait for workers.
            guard round >= 4 else { continue }
            here.cpu += first.cpu
            here.latencies += first.latencies
            apart.cpu += second.cpu
            apart.latencies += second.latencies
        }
        func line(_ title: String, _ costs: Costs) -> String {
            let label = "\(name), \(title)".padding(toLength: 34, withPad: " ", startingAt: 0)
            let (cpu, latency) = (costs.perLoad * 1_000, costs.latency * 1_000)
            return String(format: "%@ CPU %7.2f ms, median latency %7.2f ms", label, cpu, latency)
        }
        let added = (apart.latency - here.latency) * 1_000
        var lines = [line("in this process", here), line("apart", apart)]
        if let cpu {
            lines.append(
                Verdict("\(name): CPU time / in this process", apart.cpu / here.cpu, atMost: cpu)
                    .line
            )
        }
        return lines + [Verdict("\(name): latency added, ms", added, atMost: latency).line]
    }

    /// Loads a file once, without any cache.
    private static func load(
        _ file: Data,
        _ processor: any ImageProcessor,
        _ extra: KingfisherOptionsInfo,
        _ round: Int,
        into costs: inout Costs
    ) throws {
        let options: KingfisherOptionsInfo =
            [
                .processor(processor), .forceRefresh, .cacheMemoryOnly,
                .memoryCacheExpiration(.expired), .callbackQueue(.untouch),
            ] + extra
        let provider = RawImageDataProvider(data: file, cacheKey: "isolation \(round)")
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<KingfisherError?>(nil)
        let workers = WorkerTime.seconds
        let watch = Stopwatch()
        KingfisherManager.shared.retrieveImage(with: .provider(provider), options: options) {
            if case .failure(let error) = $0 { failure.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        costs.latencies.append(watch.wall)
        costs.cpu += watch.cpu + WorkerTime.seconds - workers
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// A file of about 50 KB: a photograph as used on web pages.
    private static func smallFile(of photo: Data) throws -> Data {
        let size = CGSize(width: 640, height: 640)
        let image = KingfisherWrapper<KFCrossPlatformImage>
            .downsampledImage(data: photo, to: size, scale: 1)
        for quality in stride(from: 0.95, to: 0.3, by: -0.05) {
            guard let file = image?.kf.jpegRepresentation(compressionQuality: quality) else {
                break
            }
            if file.count <= 55_000 { return file }
        }
        throw BenchmarkError("no small file can be made")
    }
}

/// The CPU time of this process's children.
private enum WorkerTime {
    /// Seconds with a resolution of nanoseconds; the accounting counters have only hundredths.
    static var seconds: Double {
        // Without procfs the result is 0, and the verdict is meaningless.
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let children = threads.flatMap { words("/proc/self/task/\($0)/children") }
        return children.reduce(0) { sum, child in
            sum + (words("/proc/\(child)/schedstat").first.flatMap(Double.init) ?? 0) / 1e9
        }
    }

    private static func words(_ path: String) -> [Substring] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
            .split(whereSeparator: \.isWhitespace)
    }
}

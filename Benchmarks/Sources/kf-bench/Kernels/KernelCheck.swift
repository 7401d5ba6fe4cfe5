import Chance
import Foundation

/// Holds the hot kernels to their speed: none may become 15 % slower than its threshold.
///
/// A threshold is the kernel's time as a share of a reference loop's in the same run, so that it
/// holds on fast and slow machines alike; the vector units differ too much for that, so that each
/// kind of processor has its own file.
struct KernelCheck {
    /// The folder of the files.
    let thresholds: URL

    private static let tolerance = 1.15
    private static let rounds = 40
    /// Whatever else the machine does can only slow a kernel down: one that seems slow is measured
    /// again so many times before it is believed.
    private static let attempts = 4

    private static let kernels = Benchmarks.resizing + Benchmarks.drawing

    /// Measures all; with `records`, makes the result the threshold to hold.
    ///
    /// - Returns: Whether all held.
    func run(records: Bool) throws -> Bool {
        let file = thresholds.appendingPathComponent("\(ProcessorKind.name).txt")
        let limits = records ? [:] : try ThresholdFile.read(file)
        var measured: [(String, Double)] = []
        var slow: [String] = []
        for kernel in Self.kernels {
            var ratio = try Self.measure(kernel)
            if records {
                // The slower of two: a lucky run would make the next one look slow.
                ratio = max(ratio, try Self.measure(kernel))
                print(String(format: "  %@ %.4f", kernel.name, ratio))
            } else if let limit = limits[kernel.name] {
                for _ in 1..<Self.attempts where ratio > limit * Self.tolerance {
                    ratio = min(ratio, try Self.measure(kernel))
                }
                let verdict = Verdict(kernel.name, ratio / limit, atMost: Self.tolerance)
                print("  \(verdict.line)")
                if !verdict.isReached { slow.append(kernel.name) }
            } else {
                throw BenchmarkError("\(file.path) has no threshold for \(kernel.name)")
            }
            measured.append((kernel.name, ratio))
        }
        if records { try ThresholdFile.write(measured, to: file) }
        if !slow.isEmpty { print("slower than its threshold: \(slow.joined(separator: ", "))") }
        return slow.isEmpty
    }

    /// The kernel's time as a share of the reference loop's, each in its fastest round.
    private static func measure(_ kernel: Benchmark) throws -> Double {
        let pixels = Self.pixels(for: kernel)
        let work = try kernel.prepare(pixels)
        var (fastest, reference) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            let watch = Stopwatch()
            guard try work() > 0 else { throw BenchmarkError("\(kernel.name) made nothing") }
            fastest = min(fastest, watch.cpu)
            reference = min(reference, ReferenceLoop.seconds())
        }
        return fastest / reference
    }

    /// Opaque noise in the size that the kernel's file would have.
    private static func pixels(for kernel: Benchmark) -> Data {
        let counts = ["12mp.rgba": 12_000_000, "1mp.rgba": 1_080_000, "1000.rgba": 1_000_000]
        var random = Random(seed: 3)
        var pixels = Data(count: (counts[kernel.file] ?? 0) * 4)
        pixels.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            for pixel in bytes.bindMemory(to: UInt32.self).indices {
                let noise = UInt32(truncatingIfNeeded: random.next()) | 0xFF00_0000
                bytes.storeBytes(of: noise.littleEndian, toByteOffset: pixel * 4, as: UInt32.self)
            }
        }
        return pixels
    }
}

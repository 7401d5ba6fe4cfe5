import Foundation
import Glibc

/// Measures wall-clock and CPU time since its creation.
///
/// On a machine with other load, CPU time is the more reliable one.
struct Stopwatch {
    private let wallStart = ContinuousClock.now
    private let cpuStart = Self.seconds(of: CLOCK_PROCESS_CPUTIME_ID)
    private let threadStart = Self.seconds(of: CLOCK_THREAD_CPUTIME_ID)

    /// Wall-clock seconds.
    var wall: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - wallStart).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// CPU seconds of all threads of the process.
    var cpu: Double { Self.seconds(of: CLOCK_PROCESS_CPUTIME_ID) - cpuStart }

    /// CPU seconds of the thread that made the stopwatch, which has to be the one that asks.
    var threadCPU: Double { Self.seconds(of: CLOCK_THREAD_CPUTIME_ID) - threadStart }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The memory of this process according to the kernel.
enum ProcessMemory {
    /// The peak of resident memory in kilobytes.
    static var peak: Int { kilobytes("VmHWM:") }

    /// Lets the peak begin again at the current memory; without procfs it stays.
    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// The current resident memory in kilobytes.
    static var resident: Int { kilobytes("VmRSS:") }

    /// The memory in kilobytes that the system can give to programs.
    static var available: Int { kilobytes("MemAvailable:", in: "/proc/meminfo") }

    private static func kilobytes(_ name: String, in file: String = "/proc/self/status") -> Int {
        // Without procfs the result is 0, which is not shown.
        guard let status = try? String(contentsOfFile: file, encoding: .utf8)
        else { return 0 }
        for line in status.split(separator: "\n") where line.hasPrefix(name) {
            return Int(line.filter(\.isNumber)) ?? 0
        }
        return 0
    }
}

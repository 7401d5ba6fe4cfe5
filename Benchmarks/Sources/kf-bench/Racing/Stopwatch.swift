import Foundation
import Glibc

/// Time by the wall and by the processor since it was made.
///
/// On a machine that does other things too, the processor's time is the one to believe.
struct Stopwatch {
    private let wallStart = ContinuousClock.now
    private let cpuStart = Self.processorSeconds()

    /// Seconds by the wall's clock.
    var wall: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - wallStart).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Seconds by the processor's clock, all threads of the process together.
    var cpu: Double { Self.processorSeconds() - cpuStart }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The memory of this process, as the kernel counts it.
enum ProcessMemory {
    /// The most that was ever resident, in kilobytes.
    static var peak: Int { kilobytes("VmHWM:") }

    /// What is resident now, in kilobytes.
    static var resident: Int { kilobytes("VmRSS:") }

    private static func kilobytes(_ name: String) -> Int {
        // Without procfs there is no figure, and none is shown.
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        else { return 0 }
        for line in status.split(separator: "\n") where line.hasPrefix(name) {
            return Int(line.filter(\.isNumber)) ?? 0
        }
        return 0
    }
}

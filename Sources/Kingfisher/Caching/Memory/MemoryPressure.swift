import Foundation
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reports memory pressure; tests replace it.
struct MemoryPressureSource: Sendable {
    /// Calls a function whenever memory is short, until the returned watch is released.
    ///
    /// While memory is short, calls are made one after another, at most once per second.
    let watch: @Sendable (@escaping @Sendable () -> Void) -> MemoryPressureWatch

    /// The kernel's reports if available; otherwise it never calls.
    ///
    /// One thread waits on behalf of all caches of the process.
    static let system = MemoryPressureSource { work in PressureStall.forProcess.add(work) }
}

/// A registration for memory pressure; it ends when its last reference is released.
final class MemoryPressureWatch: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }
}

/// Waits for the kernel's reports that tasks stall because of memory pressure.
///
/// See "PSI - Pressure Stall Information",
/// https://docs.kernel.org/accounting/psi.html#monitoring-for-pressure-thresholds.
final class PressureStall: Sendable {
    /// The thresholds: microseconds of stalls within a window in microseconds.
    ///
    /// The second one is for kernels that restrict unprivileged processes to windows of multiples
    /// of two seconds.
    static let triggers = ["some 150000 1000000", "some 300000 2000000"]

    /// Waits for the next report; false means that no more reports will come.
    typealias Reports = @Sendable () -> Bool

    /// Begins after a second: the kernel takes 8 ms to 40 ms to close such a file, which would be a
    /// large part of a program that loads one image and ends.
    static let forProcess = PressureStall(delay: 1) {
        // Read each time, because a process can be moved to another group.
        paths(cgroup: try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8))
    }

    private struct State {
        var watchers: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
        var isWaiting = false
    }

    private let openReports: @Sendable () -> Reports?
    private let delay: TimeInterval
    private let threads: ThreadStarter
    private let state = Mutex(State())

    /// - Parameters:
    ///   - delay: The seconds to wait before a file is opened.
    ///   - paths: Returns files that may accept a trigger, the most specific first.
    convenience init(delay: TimeInterval = 0, paths: @escaping @Sendable () -> [String]) {
        self.init(delay: delay, reports: { Self.openTrigger(in: paths()).map(Self.reports) })
    }

    /// - Parameters:
    ///   - delay: The seconds to wait before the source is opened.
    ///   - threads: Starts the thread that waits.
    ///   - reports: Opens the best available source of reports; nil if there is none.
    init(
        delay: TimeInterval = 0,
        threads: ThreadStarter = .system,
        reports: @escaping @Sendable () -> Reports?
    ) {
        self.delay = delay
        self.threads = threads
        openReports = reports
    }

    /// The pressure files of the process's control group, where memory is short first, of the root
    /// group and of the machine.
    ///
    /// - Parameter cgroup: The text of `/proc/self/cgroup`, nil if there is none.
    /// - Returns: The paths, the most specific first.
    static func paths(cgroup: String?) -> [String] {
        let lines = (cgroup ?? "").split(separator: "\n")
        // Version 1 of control groups has no such file.
        let unified = lines.first { $0.hasPrefix("0::/") }?.dropFirst(3)
        let folder = unified.map { $0 == "/" ? "" : String($0) }
        let groups = folder.map { $0.isEmpty ? [""] : [$0, ""] } ?? []
        return groups.map { "/sys/fs/cgroup\($0)/memory.pressure" } + ["/proc/pressure/memory"]
    }

    func add(_ work: @escaping @Sendable () -> Void) -> MemoryPressureWatch {
        let (id, isFirst) = state.withLock { state in
            state.lastID += 1
            state.watchers[state.lastID] = work
            let isFirst = !state.isWaiting
            state.isWaiting = true
            return (state.lastID, isFirst)
        }
        if isFirst { start() }
        return MemoryPressureWatch { [weak self] in
            // The last reference to `work` is released outside the lock.
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
        }
    }

    /// Waits on a separate thread, because libdispatch has no source for this kind of event.
    private func start() {
        do throws(ThreadRefused) {
            try threads("kf-memory-psi", stackBytes: 256 << 10) { [self] in
                SystemTime.pause(.seconds(delay))
                // Without an accessible file, as in many containers, there are no reports; the next
                // caller tries again.
                guard let reports = openReports() else { return giveUp() }
                wait(for: reports)
            }
        } catch {
            // Without a thread there are no reports either.
            giveUp()
        }
    }

    private func giveUp() { state.withLock { $0.isWaiting = false } }

    private func wait(for first: @escaping Reports) {
        var reports = first
        var fruitless = 0
        // Stops after three attempts without a report, to avoid a busy loop if a source opens and
        // ends at once.
        while fruitless < 3 {
            fruitless += 1
            while reports() {
                fruitless = 0
                tell()
            }
            // The control group was removed: use that of the parent.
            guard let next = openReports() else { break }
            reports = next
        }
        giveUp()
    }

    static func openTrigger(in paths: [String]) -> OpenFile? {
        for path in paths {
            for trigger in triggers {
                // A file whose trigger was refused accepts no other, so it is opened for each.
                let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                guard file >= 0 else { break }
                // The kernel requires the terminating zero.
                let count = trigger.utf8.count + 1
                if write(file, trigger, count) == count {
                    return OpenFile(FileDescriptor(rawValue: file))
                }
                close(file)
            }
        }
        return nil
    }

    private static func reports(of file: OpenFile) -> Reports {
        {
            while true {
                let descriptor = file.descriptor.rawValue
                var event = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
                guard poll(&event, 1, -1) >= 0 else {
                    if errno == EINTR { continue }
                    return false
                }
                // The control group was removed.
                if event.revents & Int16(POLLERR) != 0 { return false }
                if event.revents & Int16(POLLPRI) != 0 { return true }
            }
        }
    }

    private func tell() {
        let watchers = state.withLock { Array($0.watchers.values) }
        for work in watchers { work() }
    }
}

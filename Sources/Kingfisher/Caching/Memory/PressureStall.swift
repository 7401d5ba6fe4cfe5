import Foundation
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Waits for the kernel's reports that tasks stall for lack of memory.
///
/// See "PSI - Pressure Stall Information",
/// https://docs.kernel.org/accounting/psi.html#monitoring-for-pressure-thresholds.
final class PressureStall: Sendable {
    /// What the kernel is asked to report, in microseconds of stalls within microseconds of time.
    ///
    /// The second one is for kernels that give windows of whole two seconds alone to processes
    /// without privileges.
    static let triggers = ["some 150000 1000000", "some 300000 2000000"]

    /// Waits for the next report; false means that none will come here any more.
    typealias Reports = @Sendable () -> Bool

    static let forProcess = PressureStall(paths: {
        // Read anew each time, for a process can be moved to another group.
        paths(cgroup: try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8))
    })

    private struct State {
        var watchers: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
        var isWaiting = false
    }

    private let openReports: @Sendable () -> Reports?
    private let state = Mutex(State())

    /// - Parameter paths: Gives files that may take a trigger, the best one first.
    convenience init(paths: @escaping @Sendable () -> [String]) {
        self.init(reports: { Self.openTrigger(in: paths()).map(Self.reports) })
    }

    /// - Parameter reports: Opens the best source of reports that there is now, nil if none.
    init(reports: @escaping @Sendable () -> Reports?) { openReports = reports }

    /// The reports of the control group of the process, in which memory is short first, and those
    /// of the machine.
    ///
    /// `cgroup` is the text of `/proc/self/cgroup`, nil if there is none.
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
            // The last reference to the work ends outside of the lock.
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
        }
    }

    /// Waits on a thread of its own, because libdispatch has no source for this kind of event.
    private func start() {
        // No file that can be read and written, as in many containers: there will be no reports
        // until somebody else wants them and they are looked for again.
        guard let reports = openReports() else { return giveUp() }
        let thread = Thread { [self] in wait(for: reports) }
        thread.name = "kf-memory-psi"
        thread.stackSize = 256 << 10
        thread.start()
    }

    private func giveUp() { state.withLock { $0.isWaiting = false } }

    private func wait(for first: @escaping Reports) {
        var reports = first
        var fruitless = 0
        // Thrice in a row without a report: what opens and ends at once would keep us busy.
        while fruitless < 3 {
            fruitless += 1
            while reports() {
                fruitless = 0
                tell()
            }
            // The control group is gone: the one above it has reports too.
            guard let next = openReports() else { break }
            reports = next
        }
        giveUp()
    }

    private static func openTrigger(in paths: [String]) -> OpenFile? {
        for path in paths {
            for trigger in triggers {
                // A refused trigger leaves a file that takes none any more: each has its own.
                let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                guard file >= 0 else { break }
                // The kernel wants the zero at the end too.
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
                // The control group is gone.
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

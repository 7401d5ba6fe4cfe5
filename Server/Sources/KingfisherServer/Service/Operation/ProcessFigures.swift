import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory and descriptors of this process, read from `/proc`.
enum ProcessFigures {
    /// The resident memory in bytes; nil without `/proc`.
    static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            return nil
        }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The number of open file descriptors; nil without `/proc`.
    static var openFiles: Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
    }

    /// The processor time in seconds.
    static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
    }

    /// The number of child processes, which are the workers.
    static var children: Int {
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.reduce(0) { count, thread in
            let path = "/proc/self/task/\(thread)/children"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return count + text.split(separator: " ").count
        }
    }
}

import Foundation
import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

#if canImport(Glibc)
import Glibc
#endif

/// The check of the system's limits at the start of a program.
@Suite(.timeLimit(.minutes(1)))
struct ProgramLimitsTests {
    @Test func `each missing thread is found`() throws {
        for number in 1...10 {
            let threads = RefusingThreads { $0 >= number }
            let error = #expect(throws: UnfitSystem.self) {
                try ProgramLimits.prepare(minThreads: 10, threads.starter)
            }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("the system allows \(number - 1) further threads, and at least"))
            #expect(text.contains("ulimit -u"))
        }
        let after = RefusingThreads { $0 > 10 }
        try ProgramLimits.prepare(minThreads: 10, after.starter)
    }

    @Test func `a system without the files of processes is found`() {
        let error = #expect(throws: UnfitSystem.noProcessFiles) {
            try ProgramLimits.prepare(minThreads: 0, .system, processes: "/nowhere")
        }
        #expect(error?.description.contains("mount -t proc") == true)
    }

    @Test func `the soft limit of descriptors rises to the hard one`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 10, rlim_max: 500)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                fatalError("the limit cannot be set")
            }
            try ProgramLimits.prepare()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard limit.rlim_cur == 500 else { fatalError("\(limit)") }
        }
    }

    @Test(arguments: [8, 24])
    func `too few descriptors are found`(count: Int) async {
        await #expect(processExitsWith: .success) { [count] in
            var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                fatalError("the limit cannot be set")
            }
            do throws(UnfitSystem) {
                try ProgramLimits.prepare()
                fatalError("it was not found")
            } catch {
                guard error.description.contains("ulimit -n") else { fatalError("\(error)") }
            }
        }
    }

    @Test func `a low limit of memory is found`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 500 << 20, rlim_max: 500 << 20)
            guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
                fatalError("the limit cannot be set")
            }
            do throws(UnfitSystem) {
                try ProgramLimits.prepare()
                fatalError("it was not found")
            } catch {
                guard error.description.contains("ulimit -v") else { fatalError("\(error)") }
            }
        }
    }
}

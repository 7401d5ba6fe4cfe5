import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher
import KingfisherServer

/// Becomes a worker, or parses the arguments and runs the service.
@main
enum Program {
    static func main() async {
        // Before anything else: worker processes begin here as well.
        ProcessIsolation.runWorkerIfAsked()
        FirstProcess.runServiceIfFirst()
        checkLimits()
        watchRuntime()
        LargeBlocks.returnToSystem()
        do {
            let command = try ServeCommand.parse()
            try await command.serve()
        } catch {
            ServeCommand.exit(withError: error)
        }
    }

    /// Ends the program if the system does not allow it enough to run.
    private static func checkLimits() {
        do throws(UnfitSystem) {
            // Those of libdispatch, of the network and of the network's work that may block.
            try ProgramLimits.prepare(threadsPerCore: 3)
        } catch {
            end("\(error)")
        }
    }

    /// Ends the program when the system refuses it threads for too long, so that what supervises it
    /// starts it again.
    private static func watchRuntime() {
        do throws(ThreadRefused) {
            try RuntimeWatch().start { end("\($0)") }
        } catch {
            end("\(error)")
        }
    }

    private static func end(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("kf-serve: \(reason)\n".utf8))
        // EX_OSERR of sysexits.h; without what runs at exit, which may wait for a thread.
        _exit(71)
    }
}

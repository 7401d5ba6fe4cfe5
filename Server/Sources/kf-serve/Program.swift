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
            FileHandle.standardError.write(Data("kf-serve: \(error)\n".utf8))
            // EX_OSERR of sysexits.h.
            exit(71)
        }
    }
}

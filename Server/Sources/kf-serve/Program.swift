import ArgumentParser
import Kingfisher
import KingfisherServer

/// Becomes a worker, or parses the arguments and runs the service.
@main
enum Program {
    static func main() async {
        // Before anything else: worker processes begin here as well.
        ProcessIsolation.runWorkerIfAsked()
        FirstProcess.runServiceIfFirst()
        LargeBlocks.returnToSystem()
        do {
            let command = try ServeCommand.parse()
            try await command.serve()
        } catch {
            ServeCommand.exit(withError: error)
        }
    }
}

import Dispatch
import Foundation
import Kingfisher

/// Loads with the shared manager, for `Scripts/faults.sh`: in an environment that lacks what systems
/// usually have, a program must not end by a signal.
enum BareLoad {
    /// The path of an image; the arguments cannot be read without `/proc`.
    static let variable = "KINGFISHER_BARE_LOAD"

    /// Loads an image from a file, and one from a server that is not there; ends the process.
    static func runIfAsked() {
        guard let path = ProcessInfo.processInfo.environment[variable] else { return }
        Task {
            do {
                try await load(path)
                exit(0)
            } catch {
                print("cannot load: \(error)")
                exit(1)
            }
        }
        dispatchMain()
    }

    private static func load(_ path: String) async throws {
        let manager = KingfisherManager.shared
        let file = LocalFileImageDataProvider(fileURL: URL(fileURLWithPath: path))
        for _ in 0..<2 { _ = try await manager.retrieveImage(with: .provider(file)) }
        guard let url = URL(string: "http://127.0.0.1:1/a.png") else { return }
        do {
            _ = try await manager.retrieveImage(with: url)
        } catch KingfisherError.responseError {
            // No server listens there.
        }
    }
}

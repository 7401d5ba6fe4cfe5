import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Documents of the tests, and the tools of other authors that draw them.
enum DocumentBench {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documents")

    /// Whether poppler and its own tools are installed; `Scripts/bootstrap.sh --tests` does it.
    static let hasPoppler =
        WorkerBench.isPossible
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftocairo")

    static func url(_ name: String) -> URL { folder.appending(path: name) }

    /// One worker, for pages or videos.
    static func pool(
        memory: Int = 1 << 30,
        time: Duration = .seconds(30),
        preparing preparations: WorkerPreparations = .pages
    ) -> WorkerPool {
        var settings = WorkerPool.Settings()
        settings.width = 1
        settings.preparations = preparations
        settings.limits = WorkerLimits(memory: memory, time: time)
        return WorkerPool(program: WorkerBench.program, settings: settings)
    }

    /// The faults of workers that a file has taken over.
    static let takenOver = ["connect", "fork", "execute", "kill", "threads", "crash", "loop"]

    /// Expects that such a worker was ended for its fault.
    static func expectEnd(of error: DocumentError?, by fault: String) {
        guard case .isolationFailed(let failure) = error else {
            Issue.record("\(fault): \(String(describing: error))")
            return
        }
        switch (fault, failure) {
        case ("crash", .crashed), ("loop", .timedOut), (_, .forbiddenSystemCall): break
        default: Issue.record("\(fault): \(failure)")
        }
    }

    /// Runs a tool, and returns whether it succeeded.
    static func run(_ path: String, _ arguments: [String]) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = {
                continuation.resume(returning: $0.terminationStatus == 0)
            }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }

    /// A PDF document of one page with the given entries and contents.
    static func pdf(
        page: String = "/MediaBox[0 0 100 100]",
        contents: String = "1 0 0 rg 10 10 50 50 re f",
        objects: String = ""
    ) -> Data {
        Data(
            """
            %PDF-1.4
            1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction 9 0 R>>endobj
            2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
            3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R \(page)>>endobj
            4 0 obj<</Length \(contents.utf8.count)>>stream
            \(contents)
            endstream endobj
            \(objects)
            trailer<</Root 1 0 R>>
            """.utf8
        )
    }
}

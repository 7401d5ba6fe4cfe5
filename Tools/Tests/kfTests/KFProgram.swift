import Foundation

/// The built program, run as a user would.
enum KFProgram {
    /// The result of a run.
    struct Outcome {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The package manager puts the program next to the tests.
    static var executable: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("kf")
    }

    /// Runs the program until it exits, or until the task is cancelled, which kills it.
    ///
    /// Its streams are files, so that no full pipe can block it. They are kept in `folder`, which
    /// also replaces the user's cache folder.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - folder: The working directory.
    ///   - input: The bytes of standard input.
    ///   - inputPath: A file, pipe or device to use as standard input instead.
    ///   - outputPath: A file or device to use as standard output instead; the outcome has no
    ///     output then.
    ///   - environment: Variables in addition to the test's own.
    ///   - program: Another program to run instead.
    /// - Returns: The status and the output.
    /// - Throws: An error if the program cannot be started.
    static func run(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: Data = Data(),
        inputPath: String? = nil,
        outputPath: String? = nil,
        environment: [String: String] = [:],
        program: URL = executable
    ) async throws -> Outcome {
        let name = UUID().uuidString
        let files = ["in", "out", "err"].map {
            folder.streams.appendingPathComponent("\(name).\($0)")
        }
        try input.write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment
            .merging(["XDG_CACHE_HOME": folder.usersCache.path]) { $1 }
            .merging(environment) { $1 }
        let inputFile = inputPath.map { URL(fileURLWithPath: $0) } ?? files[0]
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        let outputFile = outputPath.map { URL(fileURLWithPath: $0) } ?? files[1]
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: files[2])
        let status = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { process in
                    // A signal must not look like an exit status.
                    let wasSignal = process.terminationReason == .uncaughtSignal
                    continuation.resume(
                        returning: wasSignal
                            ? -process.terminationStatus : process.terminationStatus
                    )
                }
                do {
                    try process.run()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            // A test that runs too long is cancelled; without this it would still wait.
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        return Outcome(
            status: status,
            output: try Data(contentsOf: files[1]),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
        )
    }

    /// Runs a script of bash, in which `$0` is the program and `$1`, `$2` are the arguments.
    static func bash(
        _ script: String,
        _ arguments: [String] = [],
        in folder: TemporaryFolder
    ) async throws -> Outcome {
        try await run(
            ["-c", script, executable.path] + arguments,
            in: folder,
            program: URL(fileURLWithPath: "/bin/bash")
        )
    }
}

/// A temporary folder of one test, removed with the object.
final class TemporaryFolder: Sendable {
    let url: URL
    /// Separate from `url`, so that a test sees only the program's files.
    let streams: URL
    /// Replaces `~/.cache`.
    var usersCache: URL { streams.appendingPathComponent("caches", isDirectory: true) }

    init() throws {
        let base = FileManager.default.temporaryDirectory
            .appendingPathComponent("kf-tests-\(UUID().uuidString)", isDirectory: true)
        url = base.appendingPathComponent("here", isDirectory: true)
        streams = base.appendingPathComponent("streams", isDirectory: true)
        for folder in [url, streams] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    deinit {
        // If removal fails, the system cleans its temporary folder.
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func data(_ name: String) throws -> Data {
        try Data(contentsOf: url.appendingPathComponent(name))
    }

    /// The files directly in the folder, sorted.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    /// The entries of a cache below a folder: files named by a hash.
    func cacheEntries(_ name: String = "cache") -> [String] {
        let names = FileManager.default.enumerator(atPath: path(name))?.compactMap { $0 as? String }
        return (names ?? []).map { ($0 as NSString).lastPathComponent }
            .filter { $0.prefix { $0.isHexDigit }.count == 64 }
    }
}

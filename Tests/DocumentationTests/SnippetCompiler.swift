import Foundation

/// Compiles a text as a program that uses the library.
enum SnippetCompiler {
    /// The folder of the build that runs.
    private static let build = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    static var isAvailable: Bool {
        let module = build.appendingPathComponent("Modules/Kingfisher.swiftmodule").path
        return FileManager.default.fileExists(atPath: module)
            && (try? run("swiftc", ["--version"]))?.status == 0
    }

    /// Compiles a text as the main file of a program; returns the compiler's exit status and
    /// output.
    static func check(_ code: String) throws -> (status: Int32, words: String) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("snippet-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("main.swift")
        try code.write(to: file, atomically: true, encoding: .utf8)
        let modules = build.appendingPathComponent("Modules").path
        return try run(
            "swiftc",
            ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", modules]
                + moduleMaps().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + [file.path]
        )
    }

    /// The maps of the C modules that the library's modules were compiled with.
    private static func moduleMaps() -> [String] {
        let scratch = build.deletingLastPathComponent().deletingLastPathComponent()
        let systems = DocumentationTests.repository
            .appendingPathComponent("Sources/SystemLibraries")
        let checkouts = scratch.appendingPathComponent("checkouts")
        let own = children(of: build).filter { $0.pathExtension == "build" }
        let others = children(of: checkouts)
            .flatMap { children(of: $0.appendingPathComponent("Sources")) }
            .map { $0.appendingPathComponent("include") }
        return (own + others + children(of: systems))
            .map { $0.appendingPathComponent("module.modulemap").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    private static func children(of folder: URL) -> [URL] {
        // A build without checkouts has none.
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).sorted().map { folder.appendingPathComponent($0) }
    }

    private static func run(
        _ program: String,
        _ arguments: [String]
    ) throws -> (status: Int32, words: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

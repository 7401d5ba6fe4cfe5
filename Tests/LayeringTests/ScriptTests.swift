import Foundation
import Testing

/// What scripts do with their arguments, without building anything.
struct ScriptTests {
    /// The output and the status of a script.
    private func run(_ script: String, _ arguments: String...) throws -> (String, Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["bash", "Scripts/\(script)"] + arguments
        process.currentDirectoryURL = SourceTree.repository
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }

    @Test func `each benchmark has a process of its own`() throws {
        let (plan, _) = try run("bench.sh", "--plan", "--rounds", "3", "thumbnail", "hits")
        #expect(plan == "--rounds 3 thumbnail\n--rounds 3 hits\n")
        let (numbers, _) = try run("bench.sh", "--plan", "tint", "convert", "5", "service", "20")
        #expect(numbers == "tint\nconvert 5\nservice 20\n")
    }

    @Test func `a filter belongs to one step of the tests`() throws {
        let (text, status) = try run("test.sh", "lint", "NoSuchStep")
        #expect(status == 1)
        #expect(text.contains("there is no step 'NoSuchStep'"))
    }
}

import Foundation

/// A library, run in a process of its own that waits for orders on standard input.
///
/// An order is a line `WORK REPETITIONS THREADS FILE`; the answer is a line of numbers, see
/// ``Sample``, or `skip` and why.
final class Peer {
    /// How a peer is started.
    struct Command: Sendable {
        let name: String
        /// For the shell.
        let line: String
    }

    /// What we are called without the twins in C.
    static let inSwift = "in Swift"
    /// What our codecs are called in a process without the rest of the library.
    static let codecs = "codecs alone"

    let name: String
    private let process = Process()
    private let orders = Pipe()
    private let answers = Pipe()
    private var received = Data()

    init(_ command: Command) throws {
        name = command.name
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec env \(command.line)"]
        process.standardInput = orders
        process.standardOutput = answers
        try process.run()
    }

    /// Does a benchmark once; nil when the peer does not know its work.
    func run(_ benchmark: Benchmark, file: URL) throws -> Sample? {
        let order =
            "\(benchmark.work) \(benchmark.repetitions) \(benchmark.threads) \(file.path)\n"
        try orders.fileHandleForWriting.write(contentsOf: Data(order.utf8))
        let answer = try line()
        if answer.hasPrefix("skip") { return nil }
        guard let sample = Sample(answer: answer) else {
            throw BenchmarkError("\(name) answered '\(answer)'")
        }
        guard sample.bytes > 0 else { throw BenchmarkError("\(name) made nothing") }
        return sample
    }

    func stop() {
        // It ends when its orders do; if it has ended before, there is nothing to close.
        try? orders.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received = Data(received[(end + 1)...])
                return line
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchmarkError("\(name) ended early") }
            received.append(more)
        }
    }
}

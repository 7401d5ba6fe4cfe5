import Foundation

/// A library in a separate process that reads orders from standard input.
///
/// An order is a line `WORK REPETITIONS THREADS FILE`. The answer is a line of numbers, see
/// ``Sample``, or `skip` with a reason.
final class Peer {
    /// The command that starts a peer.
    struct Command: Sendable {
        let name: String
        /// The shell command.
        let line: String
    }

    /// The name of our runner without the twins in C.
    static let inSwift = "in Swift"
    /// The name of the runner with our codecs alone.
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

    /// Runs a benchmark once.
    ///
    /// Returns nil if the peer does not support its work.
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
        // The peer ends when its standard input closes. If it has ended before, closing fails.
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

import Foundation

/// The command line.
///
///     kf-bench --corpus FOLDER [--peer NAME=COMMAND]... [--rounds N] [NAME]...
///     kf-bench --list
///     kf-bench --once WORK INPUT OUTPUT
///
/// For internal use and `Scripts/bench.sh`: `--serve` (see `Server`), `--opens FOLDER`,
/// `--hits ENTRIES FOLDER` (see `CountedHits`) and `--pages LIST FOLDER WIDTH` (see `PageLoads`).
struct Options {
    enum Mode {
        case run, list, serve
        case terrain(URL)
        case once(String, input: URL, output: URL)
        case opens(URL)
        case hits(Int, folder: URL)
        case pages(list: URL, folder: URL, width: Int)
    }

    var mode = Mode.run
    var corpus = URL(fileURLWithPath: ".")
    var peers: [Peer.Command] = []
    var names: [String] = []
    var rounds = 9

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func next(after option: String) throws -> String {
            guard let argument = rest.popFirst() else {
                throw BenchmarkError("\(option) needs more")
            }
            return argument
        }
        func file(after option: String) throws -> URL {
            URL(fileURLWithPath: try next(after: option))
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--list": mode = .list
            case "--serve": mode = .serve
            case "--terrain": mode = .terrain(try file(after: argument))
            case "--opens": mode = .opens(try file(after: argument))
            case "--hits":
                guard let count = Int(try next(after: argument)), count > 0 else {
                    throw BenchmarkError("--hits needs a number of entries")
                }
                mode = .hits(count, folder: try file(after: argument))
            case "--pages":
                let (list, folder) = (try file(after: argument), try file(after: argument))
                guard let width = Int(try next(after: argument)), width > 0 else {
                    throw BenchmarkError("--pages needs the number of concurrent loads")
                }
                mode = .pages(list: list, folder: folder, width: width)
            case "--once":
                mode = .once(
                    try next(after: argument),
                    input: try file(after: argument),
                    output: try file(after: argument)
                )
            case "--corpus": corpus = try file(after: argument)
            case "--rounds":
                guard let count = Int(try next(after: argument)), count > 0 else {
                    throw BenchmarkError("--rounds needs a number of one or more")
                }
                rounds = count
            case "--peer": peers.append(try Self.peer(next(after: argument)))
            default:
                guard !argument.hasPrefix("-") else {
                    throw BenchmarkError("unknown option \(argument)")
                }
                names.append(argument)
            }
        }
    }

    private static func peer(_ text: String) throws -> Peer.Command {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { throw BenchmarkError("--peer needs NAME=COMMAND") }
        return Peer.Command(name: String(parts[0]), line: String(parts[1]))
    }
}

/// An error that prevents a benchmark, as a sentence.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

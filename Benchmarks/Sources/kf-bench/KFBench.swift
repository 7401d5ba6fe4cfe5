import Foundation
import Kingfisher

/// Runs benchmarks against peers and prints the results.
///
/// See `Options` for the command line.
@main
struct KFBench {
    static func main() {
        ProcessIsolation.runWorkerIfAsked()
        do {
            try run(Options(Array(CommandLine.arguments.dropFirst())))
        } catch {
            FileHandle.standardError.write(Data("kf-bench: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ options: Options) throws {
        switch options.mode {
        case .list:
            for benchmark in Benchmarks.all { print("\(benchmark.name)  \(benchmark.title)") }
            for experiment in Experiments.all { print("\(experiment.name)  \(experiment.title)") }
        case .serve:
            try Server.serve()
        case .terrain(let file):
            try Terrain.write(to: file)
        case .once(let name, let input, let output):
            try once(name, input: input, output: output)
        case .opens(let folder):
            print(try OpeningExperiment.open(folder))
        case .pages(let list, let folder, let width):
            print(try PageLoads(list: list, folder: folder, width: width).run())
        case .hits(let count, let folder):
            try CountedHits.run(entries: count, folder: folder)
        case .run:
            try race(options)
        }
    }

    private static func race(_ options: Options) throws {
        let known = Benchmarks.all.map(\.name) + Experiments.all.map(\.name)
        let names = options.names.isEmpty ? known : options.names
        if let unknown = names.first(where: { !known.contains($0) }) {
            throw BenchmarkError("there is no benchmark '\(unknown)'; see --list")
        }
        let program = try Self.program()
        let command = Peer.Command(name: "Kingfisher", line: "'\(program)' --serve")
        let inSwift = Peer.Command(
            name: Peer.inSwift,
            line: "KF_PORTABLE_KERNELS=1 '\(program)' --serve"
        )
        for name in names {
            if let benchmark = Benchmarks.all.first(where: { $0.name == name }) {
                let ours = benchmark.isRunInSwiftToo ? [command, inSwift] : [command]
                let race = try Race.run(
                    benchmark,
                    file: options.corpus.appendingPathComponent(benchmark.file),
                    runners: ours + options.peers,
                    rounds: options.rounds
                )
                print(race.lines().joined(separator: "\n"), terminator: "\n\n")
            } else if let experiment = Experiments.all.first(where: { $0.name == name }) {
                print("\(experiment.name): \(experiment.title)")
                for line in try experiment.run(options.corpus) { print("  \(line)") }
                print("")
            }
            fflush(nil)
        }
    }

    /// The path of the running program.
    static func program() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    /// Does a benchmark's work once and writes its result, for comparisons of quality.
    private static func once(_ name: String, input: URL, output: URL) throws {
        let data = try Data(contentsOf: input)
        let result =
            try name == "thumbnail" ? Thumbnail.make(of: data) : RawImage.process(data, name)
        try result.write(to: output, options: .atomic)
    }
}

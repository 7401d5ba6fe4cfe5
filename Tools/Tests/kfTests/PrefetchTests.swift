import Foundation
import KingfisherTesting
import Synchronization
import Testing

/// The lists of `kf prefetch`.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchTests {
    @Test func `a list may have comments, blank lines, a byte order mark and any line ends`()
        async throws
    {
        let folder = try TemporaryFolder()
        let image = try TestPictures.jpeg()
        let server = try LoopbackServer { _, _ in .init(body: image) }
        defer { server.stop() }
        let list =
            "\u{FEFF}\(server.url("/1"))\r\n\t # all\r\n \t \r\n\(server.url("/2")) # second\n"
            + "\(server.url("/3#part"))\t#third\n\n  \(server.url("/1"))  "
        let outcome = try await KFProgram.run(
            ["prefetch", "--from-file", "-", "--cache", "cache", "--concurrency", "1"],
            in: folder,
            input: Data(list.utf8)
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests == ["/1", "/2", "/3"], "\(outcome.text)")
    }

    @Test func `only results are cached, and images that do not fit are reported`() async throws {
        let folder = try TemporaryFolder()
        // Not of one colour, so that each file takes its size.
        let image = try TestPictures.photo()
        let server = try LoopbackServer { _, _ in .init(body: image) }
        defer { server.stop() }
        let urls = (1...12).map { server.url("/\($0)") }
        let command = ["prefetch", "--cache", "cache", "-p", "downsample:64x64"]
        let outcome = try await KFProgram.run(command + urls, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let list = try await KFProgram.run(
            ["cache", "list", "--cache", "cache", "--json"],
            in: folder
        )
        let entries = try GetTests.fields(list)["entries"] as? [Any]
        #expect(entries?.count == 12, "\(list.text)")
        let again = try await KFProgram.run(command + urls, in: folder)
        #expect(again.text.contains("0 loaded, 12 already cached"), "\(again.text)")
        #expect(server.requests.count == 12)
        let small = try await KFProgram.run(
            command + ["--cache-limit", "4kB"] + urls,
            in: folder
        )
        #expect(small.status == 1)
        #expect(small.errors.contains("do not fit into the cache of 4.0 kB"), "\(small.errors)")
        #expect(small.text.contains("removed again"), "\(small.text)")
        let wrong = try await KFProgram.run(command + ["--cache-limit", "many"] + urls, in: folder)
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("write it as 500kB, 200MB or 2GB"))
    }

    @Test func `loaded images are not kept in memory`() async throws {
        let folder = try TemporaryFolder()
        // 16 MB each in memory.
        let image = try TestPictures.solid(80, width: 2000, height: 2000)
        let peaks = Mutex<[Int]>([])
        let server = try LoopbackServer { path, _ in
            if path == "/12" {
                peaks.withLock { $0 += Self.peaks(ofProgramsIn: folder.url.path) }
            }
            return .init(contentType: "image/png", body: image)
        }
        defer { server.stop() }
        let outcome = try await KFProgram.run(
            ["prefetch", "--concurrency", "1"] + (1...12).map { server.url("/\($0)") },
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let peak = try #require(peaks.withLock { $0.first })
        // The eleven images before have 176 MB.
        #expect(peak < 140_000, "\(peak) kB")
    }

    /// The peaks of resident memory in kB of `kf` with this working directory.
    private static func peaks(ofProgramsIn folder: String) -> [Int] {
        let files = FileManager.default
        let processes = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { Int($0) != nil }.compactMap { process in
            // Processes end at any time, and those of other users are not readable.
            let place = try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
            guard place == folder,
                let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
                let peak = text.firstMatch(of: #/VmHWM:\s+(\d+) kB/#)
            else { return nil }
            return Int(peak.output.1)
        }
    }
}

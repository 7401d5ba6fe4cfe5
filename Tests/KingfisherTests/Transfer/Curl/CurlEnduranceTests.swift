import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What many and large transfers leave in memory: nothing.
///
/// Each in a process of its own, where nothing else runs. `KINGFISHER_REQUESTS` and
/// `KINGFISHER_MEGABYTES` set the numbers: 50000 and 500 for a proof, fewer every day.
@Suite(.timeLimit(.minutes(20)))
struct CurlEnduranceTests {
    private static func number(_ variable: String, otherwise count: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
    }

    @Test func `memory stays flat over many requests`() async {
        await #expect(processExitsWith: .success) {
            let count = Self.number("KINGFISHER_REQUESTS", otherwise: 2000)
            let server = try ImageServer()
            server.route("/a", .body(Data(repeating: 7, count: 50_000)))
            let downloads = SharedDownloads(transport: CurlTransport())
            func load(_ count: Int) async {
                await withTaskGroup { group in
                    for lane in 0..<8 {
                        group.addTask {
                            for index in 0..<(count / 8) {
                                await Self.load(downloads, server.url("/a?\(lane)-\(index)"))
                            }
                        }
                    }
                }
            }
            await load(min(2000, count / 2))
            let before = Holdings.now
            await load(count - min(2000, count / 2))
            let after = Holdings.now
            precondition(after.kilobytes - before.kilobytes < 16 << 10, "\(before) \(after)")
            precondition(after.descriptors <= before.descriptors + 8, "\(before) \(after)")
            print("\(count) requests: \(before) → \(after)")
        }
    }

    private static func load(_ downloads: SharedDownloads, _ url: URL) async {
        await withCheckedContinuation { continuation in
            let caller = DownloadCaller { result in
                guard case .success(let body) = result, body.data.count == 50_000 else {
                    preconditionFailure("\(result)")
                }
                continuation.resume()
            }
            downloads.join(URLRequest(url: url), caller: caller).download.start()
        }
    }

    @Test(arguments: [("refused", 100), ("saved", 500)])
    func `a large body does not fill memory`(fate: String, limitInMegabytes: Int) async {
        await #expect(processExitsWith: .success) { [fate, limitInMegabytes] in
            let piece = Data(repeating: 7, count: 1 << 20)
            let megabytes = Self.number("KINGFISHER_MEGABYTES", otherwise: 64)
            let isRefused = fate == "refused"
            let server = try ImageServer()
            let head = ServerReply.head(200, [("Transfer-Encoding", "chunked")])
            let chunk = Data("100000\r\n".utf8) + piece + Data("\r\n".utf8)
            let steps =
                [.send(head)] + Array(repeating: ServerReply.Step.send(chunk), count: megabytes)
                + [.send(Data("0\r\n\r\n".utf8))]
            server.route("/a", ServerReply(steps: steps))
            let limit = isRefused ? megabytes / 2 : limitInMegabytes + megabytes
            var settings = TransferSettings.patient
            settings.maxBodyBytes = limit << 20
            let downloads = SharedDownloads(transport: CurlTransport())
            let before = Holdings.now
            let url = server.url("/a")
            let result = await withCheckedContinuation { continuation in
                let caller = DownloadCaller { continuation.resume(returning: $0) }
                downloads.join(URLRequest(url: url), settings: settings, caller: caller)
                    .download.start()
            }
            let after = Holdings.now
            // 8 MiB stay in memory, and are copied once on the way to the file.
            precondition(after.peakKilobytes - before.kilobytes < 40 << 10, "\(before) \(after)")
            switch result {
            case .success(let body):
                precondition(!isRefused && body.data.count == megabytes << 20)
                let folder = try TemporaryDirectory()
                try body.data.write(to: folder.file("saved"))
                let saved = try FileManager.default.attributesOfItem(
                    atPath: folder.file("saved").path
                )
                precondition(saved[.size] as? Int == megabytes << 20)
            case .failure(.bodyTooLarge): precondition(isRefused)
            case .failure(let error): preconditionFailure("\(error)")
            }
            print("\(megabytes) MB \(fate): \(before) → \(after)")
        }
    }
}

/// What a process holds at one moment.
private struct Holdings: CustomStringConvertible {
    let descriptors: Int
    let transportThreads: Int
    /// Of its own, without mapped files.
    let kilobytes: Int
    let peakKilobytes: Int

    static var now: Holdings {
        let files = FileManager.default
        func names(_ path: String) -> [String] {
            (try? files.contentsOfDirectory(atPath: path)) ?? []
        }
        let threads = names("/proc/self/task").filter { thread in
            let name = try? String(
                contentsOfFile: "/proc/self/task/\(thread)/comm",
                encoding: .utf8
            )
            return name?.hasPrefix("kingfisher-http") == true
        }
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func kilobytes(_ field: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        return Holdings(
            descriptors: names("/proc/self/fd").count,
            transportThreads: threads.count,
            kilobytes: kilobytes("RssAnon:"),
            peakKilobytes: kilobytes("VmHWM:") - kilobytes("RssFile:")
        )
    }

    var description: String {
        "\(descriptors) descriptors, \(transportThreads) threads, \(kilobytes) kB"
    }
}

import DemoKit
import Exhibition
import Foundation
import Kingfisher
import KingfisherTesting

/// Loads images at several sizes through the whole pipeline, and shows where each came from:
/// demo [URL]...
///
/// Without URLs it paints images and serves them itself. Fails if an image comes from an unexpected
/// place.
@main
struct Demo {
    static func main() async throws {
        let urls = CommandLine.arguments.dropFirst().map { URL(string: $0) }
        guard urls.allSatisfy({ ["http", "https"].contains($0?.scheme?.lowercased()) }) else {
            print("usage: demo [URL]...")
            exit(64)
        }
        let server = urls.isEmpty ? try await served() : nil
        var loads = Self.loads(urls.compactMap { $0 }, on: server)
        let downloader = ImageDownloader(name: "demo")
        downloader.downloadTimeout = 30
        let cache = try temporaryCache()
        let work = DemoLoads(manager: KingfisherManager(downloader: downloader, cache: cache))
        var surprises: [String] = []
        for pass in DemoLoads.passes {
            if pass.expected == .disk { cache.clearMemoryCache() }
            surprises += await work.run(pass, over: &loads)
            guard pass.expected == .none, let server else { continue }
            print(
                """
                \(loads.count) images made of \(Set(server.requests).count) pictures with \
                \(server.requests.count) downloads. The server is stopped now: the rest comes from \
                the cache.
                """
            )
            server.stop()
        }
        let table = DemoTable.lines(loads, passes: DemoLoads.passes).joined(separator: "\n")
        print("\n\(table)\n")
        try write(loads)
        for surprise in surprises { print(surprise) }
        exit(surprises.isEmpty ? 0 : 1)
    }

    /// Writes the contact sheet to the current folder, or else to the temporary one.
    private static func write(_ loads: [DemoLoad]) throws {
        let here = FileManager.default.currentDirectoryPath
        let folder = access(here, W_OK) == 0 ? here : FileManager.default.temporaryDirectory.path
        let file = URL(filePath: folder).appending(path: "kingfisher-demo.png")
        guard let sheet = ContactSheet.png(loads, variants: DemoVariant.all) else {
            preconditionFailure("the library encodes PNG")
        }
        try sheet.write(to: file)
        print("Contact sheet: \(file.path)")
    }

    /// Paints the images concurrently and serves them.
    private static func served() async throws -> LoopbackServer {
        print("Painting \(DemoPicture.all.count) images …")
        let files: [String: Data] = await withTaskGroup(of: (String, Data?).self) { group in
            for picture in DemoPicture.all {
                group.addTask { ("/" + picture.name, picture.encoded()) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return try LoopbackServer { path, _ in
            files[path].map { data in
                .init(contentType: path.hasSuffix(".png") ? "image/png" : "image/jpeg", body: data)
            }
        }
    }

    private static func loads(_ urls: [URL], on server: LoopbackServer?) -> [DemoLoad] {
        let own = server.map { server in
            DemoPicture.all.compactMap { URL(string: server.url("/" + $0.name)) }
        }
        return (own ?? urls).flatMap { url in
            let picture = DemoPicture.all.first { own != nil && $0.name == url.lastPathComponent }
            return DemoVariant.all.map {
                DemoLoad(
                    url: url,
                    size: picture.map { ($0.width, $0.height) },
                    variant: $0
                )
            }
        }
    }
}

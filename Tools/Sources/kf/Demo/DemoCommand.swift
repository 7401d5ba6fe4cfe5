import ArgumentParser
import DemoKit
import Foundation
import Kingfisher
import KingfisherTesting

/// `kf demo`: loads images through the whole pipeline and shows the results.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Loads images at several sizes and shows where each came from.",
        discussion: """
            Without URLs it generates images and serves them on 127.0.0.1; it needs no network \
            then.

            Examples:
              kf demo
              kf demo https://example.com/photo.jpg -o sheet.png
            """
    )

    @Argument(help: "The http or https URLs of images to load.", transform: Self.url)
    var urls: [URL] = []

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Where to write the contact sheet, a PNG.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Option(help: ArgumentHelp("The time limit of a load.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        try ReadOptions.check(timeout: timeout)
        if output?.isEmpty == true { throw ValidationError("the output has no name") }
    }

    func run() async throws {
        do {
            try await demonstrate()
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    // MARK: - Steps

    private func demonstrate() async throws {
        let sheetPath = try output ?? Self.defaultOutput()
        try AtomicFile.checkFolder(of: sheetPath)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kf-demo-\(UUID().uuidString)", isDirectory: true)
        // If removal fails, the system cleans its temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = try ImageCache(
            name: "demo",
            cacheDirectoryURL: folder,
            diskCachePathClosure: nil
        )
        let downloader = ImageDownloader(name: "demo")
        downloader.downloadTimeout = timeout
        let manager = KingfisherManager(downloader: downloader, cache: cache)

        let server = urls.isEmpty ? try await ownServer() : nil
        var loads = Self.loads(urls)
        let places = loads.map { load in
            urls.first { $0.absoluteString == load.picture }
                ?? URL(string: server?.url("/" + load.picture) ?? "")
        }
        let sources = places.compactMap { $0 }
        guard sources.count == loads.count else { throw Failure("an image has no URL") }
        let surprises = await run(
            DemoLoads(manager: manager, timeout: timeout),
            over: &loads,
            at: sources,
            cache,
            server
        )

        let table = DemoTable.lines(loads, passes: DemoLoads.passes).joined(separator: "\n")
        say("\n\(table)\n")
        guard let sheet = ContactSheet.png(loads, variants: DemoVariant.all) else {
            throw Failure("the contact sheet cannot be encoded")
        }
        try AtomicFile.write(sheet, to: sheetPath, patience: timeout)
        try out.print(DemoReport(loads, output: sheetPath, bytes: sheet.count))
        guard surprises.isEmpty else {
            for surprise in surprises { Terminal.note("kf: " + surprise) }
            throw ExitCode.failure
        }
    }

    private func run(
        _ work: DemoLoads,
        over loads: inout [DemoLoad],
        at urls: [URL],
        _ cache: ImageCache,
        _ server: LoopbackServer?
    ) async -> [String] {
        var surprises: [String] = []
        for pass in DemoLoads.passes {
            if pass.expected == .disk { cache.clearMemoryCache() }
            surprises += await work.run(pass, over: &loads, at: urls)
            guard pass.expected == .none, let server else { continue }
            let pictures = Set(server.requests).count
            say(
                """
                \(loads.count) images made of \(pictures) pictures with \(server.requests.count) \
                downloads. The server is stopped now: the rest comes from the cache.
                """
            )
            server.stop()
        }
        return surprises
    }

    /// Generates the images concurrently and serves them.
    private func ownServer() async throws -> LoopbackServer {
        say("Generating \(DemoPicture.all.count) images …")
        let clock = ContinuousClock()
        var files: [String: Data] = [:]
        let time = try await clock.measure {
            files = try await withThrowingTaskGroup(of: (String, Data).self) { group in
                for picture in DemoPicture.all {
                    group.addTask { @concurrent in
                        guard let data = picture.encoded() else {
                            throw Failure("\(picture.name) cannot be encoded")
                        }
                        return (picture.name, data)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        let bytes = files.values.reduce(0) { $0 + $1.count }
        let served = files
        let server = try LoopbackServer { path, _ in
            let name = String(path.dropFirst())
            return served[name].map { data in
                .init(contentType: name.hasSuffix(".png") ? "image/png" : "image/jpeg", body: data)
            }
        }
        say(
            """
            They took \(Readable.bytes(bytes)) and \
            \(Readable.milliseconds(LoadReport.Timings.milliseconds(time))); serving them on \
            \(server.url("/")).
            """
        )
        return server
    }

    /// Prints progress for people.
    private func say(_ text: String) {
        if !out.json, !out.quiet { Terminal.print(text) }
    }

    private static func loads(_ urls: [URL]) -> [DemoLoad] {
        var pictures = urls.map { ($0.absoluteString, nil as (width: Int, height: Int)?) }
        if pictures.isEmpty {
            pictures = DemoPicture.all.map { ($0.name, ($0.width, $0.height)) }
        }
        return pictures.flatMap { name, size in
            DemoVariant.all.map { DemoLoad(picture: name, size: size, variant: $0) }
        }
    }

    /// A file in the current folder, if it is writable, or else in the temporary one.
    private static func defaultOutput() throws -> String {
        let name = "kingfisher-demo.png"
        let here = FileManager.default.currentDirectoryPath
        let folder = access(here, W_OK) == 0 ? here : FileManager.default.temporaryDirectory.path
        return (folder as NSString).appendingPathComponent(name)
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = try PictureSource(text).webURL else {
            throw ValidationError("'\(text.hidingCutURL)' is not an http or https URL")
        }
        return url
    }
}

import Foundation
import KingfisherTesting
import Testing

/// Runs where the system lacks what programs usually find.
@Suite(.timeLimit(.minutes(2)))
struct BareSystemTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
    }

    /// Runs the program with an empty folder in place of one of the system's.
    private func run(
        _ arguments: String,
        without place: String
    ) throws -> (status: Int32, errors: String) {
        let program = KFProgram.executable.path
        return try Namespaces.shell(
            "mount -t tmpfs none \(place); exec timeout 60 \(program) \(arguments)",
            in: folder.url.path
        )
    }

    @Test(
        .enabled(if: Namespaces.canMount),
        arguments: ["get in.png -o out.png", "info in.png", "--version"]
    )
    func `a system without the files of processes is reported at the start`(
        arguments: String
    ) throws {
        let outcome = try run(arguments, without: "/proc")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("kf: error: /proc is not mounted"), "\(outcome.errors)")
        #expect(try folder.files() == ["in.png"])
    }

    @Test(
        .enabled(if: Namespaces.canMount),
        arguments: [
            "get in.png -o out.png --isolate", "convert in.png -o . --format webp --isolate",
        ]
    )
    func `workers decode without devices`(arguments: String) throws {
        let outcome = try run(arguments, without: "/dev")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.files().count == 2)
    }

    @Test func `every command finds the cache where relative folders count as unset`() async throws
    {
        let image = try TestPictures.png()
        let server = try LoopbackServer { _, _ in .init(body: image) }
        defer { server.stop() }
        let home = folder.streams.appendingPathComponent("home").path
        let places = ["HOME": home, "XDG_CACHE_HOME": "caches"]
        let made = try await KFProgram.run(
            ["get", server.url("/a.png")],
            in: folder,
            environment: places
        )
        #expect(made.status == 0, "\(made.errors)")
        let list = try await KFProgram.run(["cache", "list"], in: folder, environment: places)
        #expect(list.status == 0, "\(list.errors)")
        #expect(list.text.contains("/a.png"), "\(list.text)")
        #expect(try folder.files() == ["in.png"])
    }
}

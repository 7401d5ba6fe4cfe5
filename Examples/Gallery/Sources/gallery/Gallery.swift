import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// The program.
///
/// Its main function is synchronous, because GLib's loop must run on the initial thread.
@main
enum Gallery {
    static let usage = """
        Usage: gallery [--page NAME] [--dark] [--screenshots DIR] [--measure [PIXELS_PER_SECOND]]

          --page NAME         begins with a page: grid, detail, feed, animated, processors, trace
          --dark              uses the dark variant of the theme
          --screenshots DIR   makes a PNG of every page and ends
          --measure           scrolls through the grid for 10 s, says how long frames took, and ends

        Without a graphics card GTK's cairo renderer paints, unless GSK_RENDERER names another.
        """

    private static var emptyWindow = ResidentMemory(total: 0, anonymous: 0)
    private static let cacheFolder = FileManager.default.temporaryDirectory
        .appendingPathComponent("kingfisher-gallery-\(getpid())", isDirectory: true)

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard !arguments.contains("--help") else { return print(usage) }
        chooseRenderer()
        guard gtk_init_check() != 0 else {
            fail("there is no display. Scripts/gallery.sh --help says how to do without one.")
        }
        let isMeasuring = arguments.contains("--measure")
        if isMeasuring { emptyWindow = ResidentMemory.ofEmptyWindow() }
        useOwnCache()
        Style.install(isDark: arguments.contains("--dark"))
        let pictures: Pictures
        do {
            pictures = try Pictures(prepainted: isMeasuring ? 100 : 0)
        } catch {
            fail("the pictures cannot be served: \(error)")
        }
        defer { removeCache() }
        let window = GalleryWindow(pictures)
        MainLoop.attach()
        let loop = g_main_loop_new(nil, 0)
        connect(UnsafeMutableRawPointer(window.window), "destroy") { _ in g_main_loop_quit(loop) }
        window.show(value(after: "--page", in: arguments) ?? GridPage.name)
        gtk_window_present(window.window.cast())
        if arguments.contains("--screenshots") || arguments.contains("--measure") {
            Task {
                do {
                    try await run(arguments, window, pictures)
                } catch {
                    fail("\(error)")
                }
                g_main_loop_quit(loop)
            }
        }
        g_main_loop_run(loop)
    }

    private static func run(
        _ arguments: [String],
        _ window: GalleryWindow,
        _ pictures: Pictures
    ) async throws {
        if let folder = value(after: "--screenshots", in: arguments) {
            let screenshots = Screenshots(
                window: window,
                folder: URL(fileURLWithPath: folder),
                suffix: arguments.contains("--dark") ? "-dark" : ""
            )
            try await screenshots.run()
        }
        if arguments.contains("--measure") {
            let speed = value(after: "--measure", in: arguments).flatMap(Double.init) ?? 3_600
            let measurement = Measurement(window, pictures, emptyWindow: emptyWindow)
            try await measurement.run(speed: speed, seconds: 10)
            withExtendedLifetime(measurement) {}
        }
    }

    private static func value(after name: String, in arguments: [String]) -> String? {
        arguments.firstIndex(of: name).flatMap { index in
            arguments.indices.contains(index + 1) ? arguments[index + 1] : nil
        }
    }

    /// Selects the cairo renderer where OpenGL would run in software, which takes several times as
    /// long and keeps a second copy of every texture in memory.
    private static func chooseRenderer() {
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/dri")) ?? []
        guard !devices.contains(where: { $0.hasPrefix("renderD") }) else { return }
        setenv("GSK_RENDERER", "cairo", 0)
    }

    /// Moves the shared cache to a folder of this run.
    ///
    /// The server has another address in the next run, so the entries are worthless then, and
    /// entries of the user's cache must not influence measurements.
    private static func useOwnCache() {
        let variable = "XDG_CACHE_HOME"
        let before = ProcessInfo.processInfo.environment[variable]
        setenv(variable, cacheFolder.path, 1)
        _ = KingfisherManager.shared.cache
        // GTK's own caches keep their folder.
        if let before { setenv(variable, before, 1) } else { unsetenv(variable) }
    }

    private static func removeCache() {
        // The last loads may still be writing. A folder that cannot be removed is only temporary.
        for _ in 0..<50 {
            try? FileManager.default.removeItem(at: cacheFolder)
            guard FileManager.default.fileExists(atPath: cacheFolder.path) else { return }
            usleep(20_000)
        }
    }

    private static func fail(_ reason: String) -> Never {
        removeCache()
        FileHandle.standardError.write(Data("gallery: \(reason)\n".utf8))
        exit(1)
    }
}

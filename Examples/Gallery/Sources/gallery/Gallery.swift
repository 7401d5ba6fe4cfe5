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
        Usage: gallery [--page NAME] [--dark] [--size WIDTHxHEIGHT] [--screenshots DIR]
               gallery --check
               gallery --pictures DIR
               gallery --measure SUBJECT DIR [COUNT]
               gallery --measure arriving DIR [SPEED [CONNECTIONS [0]]]

          --page NAME         begins with a page: grid, detail, feed, animated, processors, trace
          --dark              uses the dark variant of the theme
          --size              the size of the window; 1060x760 without it
          --screenshots DIR   makes a PNG of every page and ends
          --check             uses the window by its keys, and fails if they do not work
          --pictures DIR      writes the files for measuring and ends
          --measure           reports for 10 s of scrolling, animations (50, or COUNT) or zooming
                              how long frames take, and the memory; for four flings of a list at
                              SPEED pixels per second, when images arrive from a slow server; with 0
                              loads do not follow the speed

        Without a graphics card GTK's cairo renderer paints, unless GSK_RENDERER names another.
        """

    private static let cacheFolder = FileManager.default.temporaryDirectory
        .appendingPathComponent("kingfisher-gallery-\(getpid())", isDirectory: true)

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard !arguments.contains("--help") else { return print(usage) }
        if let folder = value(after: "--pictures", in: arguments) {
            do {
                try Pictures.write(to: URL(fileURLWithPath: folder))
            } catch {
                fail("the pictures cannot be written: \(error)")
            }
            return
        }
        chooseRenderer()
        guard gtk_init_check() != 0 else {
            fail("there is no display. Scripts/gallery.sh --help says how to do without one.")
        }
        let isMeasuring = arguments.contains("--measure")
        let emptyWindow = isMeasuring ? ResidentMemory.ofEmptyWindow() : nil
        useOwnCache()
        if let emptyWindow { return measure(arguments, emptyWindow) }
        Style.install()
        let isDark = arguments.contains("--dark")
        if !Adwaita.load(isDark: isDark), isDark { Style.useDarkTheme() }
        let pictures: Pictures
        do {
            pictures = try Pictures()
        } catch {
            fail("the pictures cannot be served: \(error)")
        }
        defer { removeCache() }
        let window = GalleryWindow(pictures)
        let sides = value(after: "--size", in: arguments)?.split(separator: "x") ?? []
        let numbers = sides.compactMap { Int32($0) }
        let size = numbers.count == 2 ? (width: numbers[0], height: numbers[1]) : nil
        if let size { gtk_window_set_default_size(window.window.cast(), size.width, size.height) }
        MainLoop.attach()
        let loop = g_main_loop_new(nil, 0)
        GtkSignal.connect(window.window, "destroy") { g_main_loop_quit(loop) }
        window.show(value(after: "--page", in: arguments) ?? GridPage.name)
        gtk_window_present(window.window.cast())
        if arguments.contains("--check") {
            run(until: loop) { try await WindowCheck(window: window).run() }
        } else if let folder = value(after: "--screenshots", in: arguments) {
            let screenshots = Screenshots(
                window: window,
                folder: URL(fileURLWithPath: folder),
                suffix: arguments.contains("--dark") ? "-dark" : "",
                size: size
            )
            run(until: loop) { try await screenshots.run() }
        }
        g_main_loop_run(loop)
    }

    private static func measure(_ arguments: [String], _ emptyWindow: ResidentMemory) {
        defer { removeCache() }
        let words = arguments.drop { $0 != "--measure" }.dropFirst()
        guard let subject = words.first.flatMap(Measurement.Subject.init), words.count > 1 else {
            fail("--measure needs a subject and the folder of --pictures")
        }
        Style.install()
        MainLoop.attach()
        let loop = g_main_loop_new(nil, 0)
        let folder = URL(fileURLWithPath: words[words.startIndex + 1], isDirectory: true)
        let measurement = Measurement(folder: folder, emptyWindow: emptyWindow)
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        run(until: loop) { try await measurement.run(subject, numbers) }
        g_main_loop_run(loop)
    }

    /// Ends the loop after some work, and the program if the work fails.
    private static func run(until loop: OpaquePointer?, _ work: @escaping () async throws -> Void) {
        Task {
            do {
                try await work()
            } catch {
                fail("\(error)")
            }
            g_main_loop_quit(loop)
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

import ArgumentParser
import Foundation
import Kingfisher
import Synchronization

/// `kf sheet`: all images of a folder, or frames of a video, on one page.
struct SheetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheet",
        abstract: "Writes a contact sheet: small versions of many images on one page.",
        discussion: """
            Folders are searched recursively, and quoted patterns are expanded, as by kf convert. \
            Images that cannot be read are left out and listed. A video that is named alone is \
            shown by frames with their times. --timeout limits each load, and the writing.

            Examples:
              kf sheet photos -o sheet.png
              kf sheet 'raw/**/*.jpg' -o sheet.jpg --cell 320x240 --columns 4
              kf sheet film.mp4 -o sheet.jpg --frames 12
            """
    )

    @Argument(
        help: ArgumentHelp("Files, folders or quoted patterns.", valueName: "input"),
        completion: .file()
    )
    var inputs: [String] = []

    @OptionGroup var listing: InputOptions

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write; its suffix is the format.", valueName: "file"),
        completion: .file()
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "The size of the place for each image, each side 8 to 2048. (default: 200x150)"
        ),
        transform: { try SizeSpec.box($0, of: "--cell", 8...2048) }
    )
    var cell = CGSize(width: 200, height: 150)

    @Option(help: ArgumentHelp("The number of images in a row.", valueName: "n"))
    var columns = 5

    @Option(
        help: ArgumentHelp(
            "The number of frames of a video that is named alone. (default: 20)",
            valueName: "n"
        )
    )
    var frames: Int?

    @Flag(help: "Leave out the names of the files.")
    var noNames = false

    @OptionGroup var reading: ReadOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    private static let margin = 12
    private static let nameHeight = 14
    private static let (paper, ink) = (SIMD3<Float>(repeating: 0.97), SIMD3<Float>(repeating: 0.25))

    func validate() throws {
        try listing.check(inputs)
        if !(1...100).contains(columns) { throw ValidationError("--columns must be from 1 to 100") }
        if let frames, !(1...1000).contains(frames) {
            throw ValidationError("--frames must be from 1 to 1000")
        }
        guard try PictureFormat(ending: output) != nil else {
            throw ValidationError("the output needs the suffix of a format: \(PictureFormat.names)")
        }
    }

    func run() async throws {
        do {
            try AtomicFile.checkFolder(of: output)
            let (found, failures) = try InputSearch(
                leavingOut: output,
                excluding: listing.exclude
            )
            .files(listing.all(inputs), repeats: true)
            let items = try await items(
                of: found.map(\.path).filter { !InputSearch.isFile($0, at: output) }
            )
            let failed = Failures()
            for (input, failure) in failures {
                out.printFailure(failure, source: input)
                failed.add(ErrorReport.line(for: failure, source: input))
            }
            try checkSize(count: items.count)
            let images = await images(of: items, failed)
            for line in failed.all { Terminal.note("kf: " + line, style: .red) }
            guard !images.isEmpty else { throw Failure("none of the images can be read") }
            try await write(images, failed: failed.all.count)
            if !failed.all.isEmpty { throw ExitCode.failure }
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    // MARK: - Steps

    /// A place with its margin and the name below.
    private var step: (width: Int, height: Int) {
        (
            Int(cell.width) + Self.margin,
            Int(cell.height) + Self.margin + (noNames ? 0 : Self.nameHeight)
        )
    }

    private func size(count: Int) -> (width: Int, height: Int) {
        let rows = (count + columns - 1) / columns
        return (
            min(columns, count) * step.width + Self.margin, rows * step.height + Self.margin
        )
    }

    private func checkSize(count: Int) throws {
        let (width, height) = size(count: count)
        guard max(width, height) <= 32_767, width * height <= 200_000_000 else {
            throw Failure(
                "a page of \(width) × \(height) pixels is too large for \(count) images; make "
                    + "--cell smaller, or name fewer"
            )
        }
    }

    /// A place of the sheet.
    private struct Item {
        let path: String
        let title: String
        /// A frame of the file.
        var frame: VideoFrameDataProvider?
    }

    /// The files, or the frames of a video that is alone: in the middle of equal parts.
    private func items(of files: [String]) async throws -> [Item] {
        guard files.count == 1, let document = LocalDocument(files[0]), document.kind == .video,
            !reading.pages.asksForFrame
        else {
            if frames != nil, !out.quiet {
                Terminal.note("kf: --frames is for a video that is named alone, without --at")
            }
            return files.map { Item(path: $0, title: ($0 as NSString).lastPathComponent) }
        }
        let url = URL(fileURLWithPath: document.path)
        guard let duration = try await VideoInfo(contentsOf: url).duration, duration > 0 else {
            throw Failure("\(files[0]) has no duration; name a time with --at")
        }
        let frames = frames ?? 20
        let times = (0..<frames).map { duration * (Double($0) + 0.5) / Double(frames) }
        let providers = VideoFrameDataProvider.frames(of: url, at: times, maximumSize: cell)
        return zip(times, providers).map { time, provider in
            Item(path: files[0], title: VideoReport.time(time), frame: provider)
        }
    }

    /// The images in the order of the items; those that cannot be read are left out.
    private func images(
        of items: [Item],
        _ failed: Failures
    ) async -> [(name: String, image: KFCrossPlatformImage)] {
        let made = Mutex([KFCrossPlatformImage?](repeating: nil, count: items.count))
        let width = ProcessInfo.processInfo.activeProcessorCount
        let processor = SizeSpec.both(cell).downsampling
        await Batch.run(Array(items.indices), width: width) { index in
            let path = items[index].path
            do {
                var load = PictureLoad(file: path, reading: reading, processor: processor)
                load.provider = items[index].frame
                let image = try await load.run().result.image
                made.withLock { $0[index] = image }
            } catch {
                out.printFailure(error, source: path)
                failed.add(ErrorReport.line(for: error, source: path))
            }
        }
        return zip(items, made.withLock { $0 }).compactMap { item, image in
            image.map { (item.title, $0) }
        }
    }

    private func write(
        _ images: [(name: String, image: KFCrossPlatformImage)],
        failed: Int
    ) async throws {
        let (width, height) = size(count: images.count)
        var page = Canvas(width: width, height: height)
        page.fill(columns: 0..<width, rows: 0..<height, Self.paper)
        for (index, (name, image)) in images.enumerated() {
            let x = Self.margin + index % columns * step.width
            let y = Self.margin + index / columns * step.height
            page.draw(
                image,
                x: x + (Int(cell.width) - image.pixelWidth) / 2,
                y: y + (Int(cell.height) - image.pixelHeight) / 2
            )
            guard !noNames else { continue }
            // Six pixels for a letter.
            let text = String(name.prefix(Int(cell.width) / 6))
            page.write(text, x: x, y: y + Int(cell.height) + 4, size: 1, colour: Self.ink)
        }
        let image = page.image
        let format = try PictureFormat(ending: output)
        let data = try await onThread(seconds: reading.timeout) {
            image.flatMap { format?.encoding().data(of: $0) }
        }
        guard let data else { throw Failure("cannot write this page as \(output)") }
        try AtomicFile.write(data, to: output, patience: reading.timeout)
        try out.print(
            Result(
                images: images.count,
                failed: failed,
                output: output,
                width: width,
                height: height,
                bytes: data.count
            )
        )
    }

    /// The page that was written.
    private struct Result: Report {
        let images: Int
        let failed: Int
        let output: String
        let width: Int
        let height: Int
        let bytes: Int

        func summary() -> String {
            "\(Readable.images(images)) → \(Terminal.line(output))  \(width) × \(height), "
                + Readable.bytes(bytes)
        }
    }
}

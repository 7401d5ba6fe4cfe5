import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher
import Synchronization

/// `kf animate`: makes an animation of images.
struct AnimateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "animate",
        abstract: "Makes an animated GIF, WebP or AVIF of images.",
        discussion: """
            Files that are named are shown in that order; those of folders and patterns in the \
            order of their names, in which 2 comes before 10. Animations, and parts of videos with \
            --from and --to, are shown with all their frames, animations with their delays unless \
            --delay or --fps is given. Images of another size fill the \
            size of the first one, and lose what does not fit. Nothing is written if a file cannot \
            be read.

            Examples:
              kf animate frames -o clip.webp --fps 25
              kf animate film.mp4 --from 1 --to 3 -o clip.webp
              kf animate a.png b.png c.png -o abc.gif --size 320x240
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
        help: ArgumentHelp("The file to write: .gif, .webp or .avif.", valueName: "file"),
        completion: .file()
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "How long each image is shown, in seconds. (default: 0.1, and the delays of animations)",
            valueName: "seconds"
        )
    )
    var delay: Double?

    @Option(
        help: ArgumentHelp(
            "Images a second, in place of --delay; also the frames that are taken of a part of a "
                + "video. (default: 10, and 12 for a part of a video)",
            valueName: "n"
        )
    )
    var fps: Double?

    @OptionGroup var part: PartOptions

    @Option(help: ArgumentHelp("How often it is played; 0 is forever.", valueName: "n"))
    var loops = 0

    @Option(
        help: ArgumentHelp(
            "The size in pixels, each side 1 to 16383. (default: that of the first image)"
        ),
        transform: { try SizeSpec.box($0, of: "--size", 1...16_383) }
    )
    var size: CGSize?

    @Option(
        help: ArgumentHelp("The quality of WebP and AVIF: 0 to 100.", valueName: "n")
    )
    var quality = 80

    @OptionGroup var reading: ReadOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    /// The most bytes of pixels that are held at once.
    private static let mostBytes = 1 << 30

    func validate() throws {
        try listing.check(inputs)
        guard delay == nil || fps == nil else {
            throw ValidationError("choose one of --delay and --fps")
        }
        if let fps, !(1...100).contains(fps) {
            throw ValidationError("--fps must be from 1 to 100")
        }
        try part.check(reading.pages)
        guard (0.01...60).contains(seconds ?? Self.usualDelay) else {
            throw ValidationError("--delay must be from 0.01 to 60 seconds")
        }
        guard (0...65_535).contains(loops) else {
            throw ValidationError("--loops must be from 0 to 65535, not \(loops)")
        }
        guard (0...100).contains(quality) else {
            throw ValidationError("the quality must be from 0 to 100, not \(quality)")
        }
        guard try format().holdsAnimations else {
            throw ValidationError("an animation is a .gif, .webp or .avif file")
        }
    }

    func run() async throws {
        do {
            try AtomicFile.checkFolder(of: output)
            let parts = try await self.parts(of: files())
            let size = size ?? parts[0].size
            guard Int(size.width) * Int(size.height) * 4 * parts.count <= Self.mostBytes else {
                throw Failure(
                    "\(parts.count) images of \(Int(size.width)) × \(Int(size.height)) pixels are "
                        + "too large for an animation; choose a smaller --size"
                )
            }
            let delays = parts.map { seconds ?? $0.delay ?? Self.usualDelay }
            try await write(try await images(of: parts, size), delays, size)
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    // MARK: - Steps

    /// How long a still image is shown, unless a delay is given.
    private static let usualDelay = 0.1

    /// How long each image is shown, as asked; nil for the delays of animations.
    ///
    /// A part of a video has delays for its frames a second, longer ones for equal neighbours.
    private var seconds: Double? { delay ?? (clip == nil ? fps.map { 1 / $0 } : nil) }

    private var clip: VideoClip? { part.clip(framesPerSecond: fps) }

    /// An image of a file, or one of the frames of an animation.
    private struct Part: Sendable {
        let file: String
        let size: CGSize
        /// The whole animation, with the number of the frame; nil for a still image, which is decoded
        /// in its final size.
        var frame: (animation: KFCrossPlatformImage, number: Int)?
        /// The length of the part of a video; nil for other files.
        var length: TimeInterval?

        /// How long the file shows the image; nil if it does not state it.
        ///
        /// A part without motion has one frame.
        var delay: Double? {
            frame.flatMap { $0.animation.delay(ofFrame: $0.number) } ?? length
        }
    }

    private func format() throws -> PictureFormat {
        guard let format = try PictureFormat(ending: output) else {
            throw ValidationError("an animation is a .gif, .webp or .avif file")
        }
        return format
    }

    private func files() throws -> [String] {
        let inputs = try listing.all(inputs)
        let (found, failures) = try InputSearch(leavingOut: output, excluding: listing.exclude)
            .files(inputs, repeats: true)
        // An animation with a gap is none that was asked for.
        if let failure = failures.first { throw failure.1 }
        let files = found.map(\.path).filter { !InputSearch.isFile($0, at: output) }
        guard !files.isEmpty else { throw Failure("there are no images") }
        return files
    }

    /// The images of the files, in order.
    private func parts(of files: [String]) async throws -> [Part] {
        var parts: [Part] = []
        for file in files {
            let document = LocalDocument(file)
            if document == nil, clip == nil, let size = await sizeOfStill(file) {
                parts.append(Part(file: file, size: size))
                continue
            }
            let image = try await image(of: file, nil)
            let size = CGSize(width: image.pixelWidth, height: image.pixelHeight)
            if document?.kind == .video, clip == nil, !out.quiet {
                let name = Terminal.line(file)
                Terminal.note("kf: \(name): took one frame; --from and --to take a part")
            }
            parts += (1...max(1, image.frameCount)).map {
                Part(
                    file: file,
                    size: size,
                    frame: (image, $0),
                    length: document?.kind == .video ? clip.map { $0.to - $0.from } : nil
                )
            }
        }
        return parts
    }

    /// The size of an image that is no animation; nil for others, and without a readable header: then
    /// the load fails, and says why.
    private func sizeOfStill(_ file: String) async -> CGSize? {
        guard let bytes = try? PictureSource(file: file).bytes(patience: reading.timeout),
            let info = try? await ImageFileInfo.read(bytes, isolates: reading.isolate),
            info.frameCount == 1
        else { return nil }
        return info.size
    }

    private func image(
        of file: String,
        _ processor: (any ImageProcessor)?
    ) async throws -> KFCrossPlatformImage {
        do {
            var load = PictureLoad(file: file, reading: reading, processor: processor)
            load.clip = clip
            return try await load.run().result.image
        } catch {
            let reason = ErrorReport.reason(for: error)
            throw Failure(reason.contains(file) ? reason : "\(file): \(reason)")
        }
    }

    private func images(of parts: [Part], _ size: CGSize) async throws -> [KFCrossPlatformImage] {
        let processor =
            ResizingImageProcessor(referenceSize: size, mode: .aspectFill)
            |> CroppingImageProcessor(size: size, anchor: CGPoint(x: 0.5, y: 0.5))
        let made = Mutex([Swift.Result<KFCrossPlatformImage, any Error>?](parts.map { _ in nil }))
        let width = ProcessInfo.processInfo.activeProcessorCount
        await Batch.run(Array(parts.indices), width: width) { index in
            let result: Swift.Result<KFCrossPlatformImage, any Error>
            do {
                result = .success(try await image(of: parts[index], processor))
            } catch {
                result = .failure(error)
            }
            made.withLock { $0[index] = result }
        }
        return try made.withLock { $0 }.compactMap { try $0?.get() }
    }

    private func image(
        of part: Part,
        _ processor: any ImageProcessor
    ) async throws -> KFCrossPlatformImage {
        guard let frame = part.frame else {
            return try await image(of: part.file, processor).kf.still
        }
        let options = KingfisherParsedOptionsInfo(nil)
        guard let picture = frame.animation.frame(frame.number),
            let made = processor.process(item: .image(picture), options: options)
        else {
            throw Failure("\(part.file): frame \(frame.number) cannot be decoded")
        }
        return made
    }

    private func write(
        _ images: [KFCrossPlatformImage],
        _ delays: [Double],
        _ size: CGSize
    ) async throws {
        let frames = ImageList(images: images, delays: delays, loopCount: loops)
        let animation = KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
            source: frames,
            options: ImageCreatingOptions()
        )
        let format = try format()
        if images.count > 1 {
            // The delays of a part of a video are those that are played.
            let shortest = delays.min() ?? Self.usualDelay
            ShortDelays.note(min(shortest, fps.map { 1 / $0 } ?? shortest), in: [format])
        }
        let quality = CGFloat(quality) / 100
        let encoded = try await onThread(seconds: reading.timeout) {
            animation?.kf.animationRepresentation(
                format: format.imageFormat,
                compressionQuality: quality
            )
        }
        guard let data = encoded else { throw format.failure(of: images[0]) }
        try AtomicFile.write(data, to: output, patience: reading.timeout)
        if format == .avif, images.count > 1 {
            await AnimationRounds.note(loops, of: data, isolates: reading.isolate)
        }
        try out.print(
            Result(
                frames: images.count,
                output: output,
                width: Int(size.width),
                height: Int(size.height),
                bytes: data.count
            )
        )
    }

    /// The file that was written.
    private struct Result: Report {
        let frames: Int
        let output: String
        let width: Int
        let height: Int
        let bytes: Int

        func summary() -> String {
            "\(Readable.images(frames)) → \(Terminal.line(output))  \(width) × \(height), "
                + Readable.bytes(bytes)
        }
    }
}

/// Images as the frames of an animation.
private struct ImageList: ImageFrameSource, LoopCounting {
    let images: [KFCrossPlatformImage]
    let delays: [Double]
    let loopCount: Int

    var data: Data? { nil }
    var frameCount: Int { images.count }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        images.indices.contains(index) ? images[index] : nil
    }

    func duration(at index: Int) -> TimeInterval {
        delays.indices.contains(index) ? delays[index] : .infinity
    }
}

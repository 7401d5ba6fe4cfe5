import Foundation
import Kingfisher
import Synchronization

/// Converts files one by one with the library's pipeline, within its memory budget.
final class Converter: Sendable {
    private let plan: ConvertPlan
    private let encoding: EncodingOptions
    private let skipsExisting: Bool
    private let isolates: Bool
    /// Whether each frame of an animation is written.
    private let splitsAnimations: Bool
    private let preservesTime: Bool
    /// The seconds for each file; nil for any.
    private let timeout: Double?
    private let pages: PageOptions
    private let clip: VideoClip?
    private let manager: KingfisherManager
    /// The output folder without symbolic links.
    private let root: String
    /// Whether an output could not be written because its disk is full.
    private let isDiskFull = Atomic(false)
    /// The outputs so far, with their inputs.
    private let outputs = Mutex<[String: String]>([:])

    init(
        plan: ConvertPlan,
        encoding: EncodingOptions,
        skipsExisting: Bool,
        preservesTime: Bool,
        splitsAnimations: Bool,
        isolates: Bool,
        acceptsTruncated: Bool,
        timeout: Double?,
        pages: PageOptions,
        clip: VideoClip?
    ) {
        self.pages = pages
        self.clip = clip
        self.timeout = timeout
        self.splitsAnimations = splitsAnimations
        self.preservesTime = preservesTime
        self.plan = plan
        self.encoding = encoding
        self.skipsExisting = skipsExisting
        self.isolates = isolates
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "kf"),
            cache: ToolCache.withoutDisk()
        )
        if isolates { manager.defaultOptions = [.isolated] }
        if acceptsTruncated { manager.defaultOptions.append(.acceptsTruncatedFiles) }
        root = InputSearch.resolved(plan.folder) ?? plan.folder
    }

    /// Converts a file.
    ///
    /// Errors are returned as a failed outcome. After the first that means a full disk, no further
    /// file is tried.
    @concurrent
    func outcome(of item: ConvertPlan.Item) async -> ConvertOutcome {
        let input = item.input.path
        if isDiskFull.load(ordering: .relaxed) { return ConvertOutcome(notDone: input) }
        if skipsExisting, plan.isThere(item) {
            return ConvertOutcome(
                input: input,
                output: item.outputTitle(in: plan.folder),
                status: .skipped
            )
        }
        do {
            guard let timeout else { return try await converted(item) }
            return try await withDeadline(seconds: timeout) { try await self.converted(item) }
        } catch {
            if (error as? Failure)?.isDiskFull == true {
                isDiskFull.store(true, ordering: .relaxed)
            }
            return ConvertOutcome(input: input, error: ErrorReport.line(for: error, source: input))
        }
    }

    private func converted(_ item: ConvertPlan.Item) async throws -> ConvertOutcome {
        let steps = encoding.steps.processor(isWritten: true, as: item.format)
        if let still = try still(of: item) {
            // Its pixels become the image, without a file in between, which would have no metadata.
            return try await written(load(still, steps), of: nil, item)
        }
        let bytes = try await bytes(of: item)
        if await isSplit(bytes, item) { return try await writtenFrames(of: bytes, item) }
        return try await written(image(of: bytes, item, steps), of: bytes, item)
    }

    /// Writes an image that was made of a file, or drawn without one.
    private func written(
        _ image: KFCrossPlatformImage,
        of bytes: Data?,
        _ item: ConvertPlan.Item
    ) async throws -> ConvertOutcome {
        let size = (width: image.pixelWidth, height: image.pixelHeight)
        let output = plan.path(of: item, size: size)
        try claim(output, for: item)
        var outcome = ConvertOutcome(input: item.input.path, output: output, status: .converted)
        outcome.sourceBytes = LocalDocument(item.input.path)?.size ?? bytes?.count
        outcome.width = size.width
        outcome.height = size.height
        if skipsExisting, OutputPlace.isTaken(output) {
            outcome.status = .skipped
            return outcome
        }
        let target = item.format ?? .png
        // A copy would end early, too; an encoded result is a complete file.
        let isTruncated = image.kf.isTruncated
        let copy = isTruncated ? nil : try copy(of: bytes, as: target)
        let data: Data =
            if let copy {
                copy.data
            } else {
                try await encoding.file(
                    of: image,
                    as: target,
                    isolates: isolates,
                    source: bytes.map { bytes in { bytes } }
                )
            }
        // Before the file is written, because it takes time.
        if copy == nil {
            outcome.droppedFrames = await encoding.droppedFrames(
                of: image,
                from: bytes,
                as: target,
                isolates: isolates
            )
        }
        try write(data, to: output)
        if preservesTime { try AtomicFile.copyTime(from: item.input.path, to: output) }
        outcome.bytes = data.count
        if isTruncated { outcome.truncated = true }
        if copy?.lostPosition == true { outcome.removedPosition = true }
        if let copy, copy.lostBytes > 0 { outcome.removedBytes = copy.lostBytes }
        return outcome
    }

    /// The page of a document or the frame of a video; nil for other files, for a part of a video, and
    /// where its own file is the output.
    private func still(of item: ConvertPlan.Item) throws -> (any ImageDataProvider)? {
        guard item.format != .png || !encoding.copiesFiles,
            let document = LocalDocument(item.input.path),
            document.kind == .pdf || clip == nil
        else { return nil }
        return try pages.provider(for: document, before: encoding.processors)
    }

    /// The file, or an image of a part of it.
    private func bytes(of item: ConvertPlan.Item) async throws -> Data {
        let path = item.input.path
        guard let document = LocalDocument(path) else {
            return try PictureSource(file: path).bytes(patience: 30)
        }
        let provider = try pages.provider(
            for: document,
            before: encoding.processors,
            clip: clip,
            as: encoding.finalFormat(for: item.format)
        )
        return try await provider.data()
    }

    /// The part of a video that an input becomes; nil for other inputs.
    private func part(of item: ConvertPlan.Item) -> VideoClip? {
        clip.flatMap { LocalDocument(item.input.path)?.kind == .video ? $0 : nil }
    }

    /// Whether each frame of a file becomes a file of its own.
    private func isSplit(_ bytes: Data, _ item: ConvertPlan.Item) async -> Bool {
        guard splitsAnimations else { return false }
        if part(of: item) != nil { return true }
        // Without a readable header the load fails, and says why.
        let info = try? await ImageFileInfo.read(bytes, isolates: isolates)
        return info.map { $0.frameCount ?? 2 > 1 } ?? false
    }

    /// Writes each frame of an animation into a file, whose name ends with its number.
    private func writtenFrames(
        of bytes: Data,
        _ item: ConvertPlan.Item
    ) async throws -> ConvertOutcome {
        let animation = try await image(of: bytes, item, nil)
        let numbers = numbers(ofFrames: animation, in: part(of: item))
        let count = numbers.count
        let target = item.format ?? .png
        let chain = ProcessorSpec.chain(encoding.processors)
        let pattern = item.outputTitle(in: plan.folder)
        var outcome = ConvertOutcome(input: item.input.path, output: pattern, status: .converted)
        (outcome.sourceBytes, outcome.bytes, outcome.frames) = (bytes.count, 0, count)
        if animation.kf.isTruncated { outcome.truncated = true }
        for (number, place) in zip(1..., numbers) {
            guard var frame = animation.frame(place) else {
                throw Failure("frame \(number) of \(count) cannot be decoded")
            }
            if let chain {
                let options = KingfisherParsedOptionsInfo(nil)
                guard let made = chain.process(item: .image(frame), options: options) else {
                    throw Failure("a step of -p returned no image for frame \(number)")
                }
                frame = made
            }
            (outcome.width, outcome.height) = (frame.pixelWidth, frame.pixelHeight)
            let path = try path(of: frame, number, of: count, item)
            let data = try await encoding.file(of: frame, as: target, isolates: isolates) { bytes }
            try write(data, to: path)
            if preservesTime { try AtomicFile.copyTime(from: item.input.path, to: path) }
            outcome.bytes = (outcome.bytes ?? 0) + data.count
        }
        return outcome
    }

    /// The numbers of the frames to write, in order.
    ///
    /// Of a part of a video, encoders keep equal neighbours as one frame that lasts longer.
    private func numbers(ofFrames animation: KFCrossPlatformImage, in part: VideoClip?) -> [Int] {
        let all = Array(1...animation.frameCount)
        // Shorter delays are not those that were asked for: see ``ShortDelays``.
        guard let part, part.framesPerSecond <= 90 else { return all }
        return all.flatMap { number -> [Int] in
            let seconds = animation.delay(ofFrame: number) ?? part.to - part.from
            let count = Int((seconds * part.framesPerSecond).rounded())
            return Array(repeating: number, count: max(1, count))
        }
    }

    /// Claims the path of an output, which may follow from the size or number of an image and so is not
    /// known when the run is planned.
    ///
    /// - Throws: A ``Failure`` if it is the output of another image.
    private func claim(_ path: String, for item: ConvertPlan.Item) throws {
        let input = item.input.path
        let other = outputs.withLock { outputs in
            let other = outputs[path]
            outputs[path] = other ?? input
            return other
        }
        guard let other else { return }
        throw Failure(
            other == input
                ? "two frames would become \(path); use another --name"
                : "\(other) has become \(path), too; use another --name"
        )
    }

    /// The file for a frame, which no other image has.
    private func path(
        of frame: KFCrossPlatformImage,
        _ number: Int,
        of count: Int,
        _ item: ConvertPlan.Item
    ) throws -> String {
        let whole = plan.path(of: item, size: (frame.pixelWidth, frame.pixelHeight)) as NSString
        let zeros = String(repeating: "0", count: "\(count)".count - "\(number)".count)
        let path = "\(whole.deletingPathExtension)-\(zeros)\(number).\(whole.pathExtension)"
        try claim(path, for: item)
        return path
    }

    private func image(
        of bytes: Data,
        _ item: ConvertPlan.Item,
        _ processor: (any ImageProcessor)?
    ) async throws -> KFCrossPlatformImage {
        try await load(RawImageDataProvider(data: bytes, cacheKey: item.input.path), processor)
    }

    /// Loads an image.
    private func load(
        _ provider: any ImageDataProvider,
        _ processor: (any ImageProcessor)?
    ) async throws -> KFCrossPlatformImage {
        var options: KingfisherOptionsInfo = [
            .cacheMemoryOnly, .forceRefresh, .memoryCacheExpiration(.expired),
        ]
        if let processor { options.append(.processor(processor)) }
        do {
            return try await manager.retrieveImage(with: .provider(provider), options: options)
                .image
        } catch {
            throw await encoding.explained(error, isolates: isolates)
        }
    }

    /// The bytes without the metadata that is to be removed, if they already are the requested file.
    private func copy(of bytes: Data?, as target: PictureFormat) throws -> EncodingOptions.Copy? {
        guard let bytes, PictureFormat(bytes.kf.imageFormat) == target else { return nil }
        return try encoding.copy(of: bytes)
    }

    /// Writes below the output folder, but not after the deadline, when the file was reported as
    /// failed, and not over an input.
    private func write(_ data: Data, to path: String) throws {
        try Task.checkCancellation()
        try Deadline.current?.check()
        try plan.checkIsNoInput(path)
        try AtomicFile.write(data, to: path, below: root, patience: timeout ?? 30)
    }
}

import Foundation
import Kingfisher
import Synchronization

/// Converts files one by one with the library's pipeline, within its memory budget.
final class Converter: Sendable {
    private let plan: ConvertPlan
    private let encoding: EncodingOptions
    private let skipsExisting: Bool
    private let isolates: Bool
    private let preservesTime: Bool
    private let manager: KingfisherManager
    /// The output folder without symbolic links.
    private let root: String
    /// Whether an output could not be written because its disk is full.
    private let isDiskFull = Atomic(false)

    init(
        plan: ConvertPlan,
        encoding: EncodingOptions,
        skipsExisting: Bool,
        preservesTime: Bool,
        isolates: Bool
    ) {
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
            return try await converted(item)
        } catch {
            if (error as? Failure)?.isDiskFull == true {
                isDiskFull.store(true, ordering: .relaxed)
            }
            return ConvertOutcome(input: input, error: ErrorReport.line(for: error, source: input))
        }
    }

    private func converted(_ item: ConvertPlan.Item) async throws -> ConvertOutcome {
        let bytes = try PictureSource(file: item.input.path).bytes(patience: 30)
        let image = try await image(of: bytes, item)
        let size = (width: image.pixelWidth, height: image.pixelHeight)
        let output = plan.path(of: item, size: size)
        var outcome = ConvertOutcome(input: item.input.path, output: output, status: .converted)
        outcome.inputBytes = bytes.count
        outcome.width = size.width
        outcome.height = size.height
        if skipsExisting, FileManager.default.fileExists(atPath: output) {
            outcome.status = .skipped
            return outcome
        }
        let target = item.format ?? .png
        let copy = try copy(of: bytes, as: target)
        let data: Data =
            if let copy {
                copy.data
            } else {
                try await encoding.file(of: image, as: target, isolates: isolates) { bytes }
            }
        try write(data, to: output)
        if preservesTime { try AtomicFile.copyTime(from: item.input.path, to: output) }
        outcome.outputBytes = data.count
        if copy == nil { outcome.droppedFrames = target.droppedFrames(of: image) }
        if copy?.lostPosition == true { outcome.removedPosition = true }
        return outcome
    }

    private func image(
        of bytes: Data,
        _ item: ConvertPlan.Item
    ) async throws -> KFCrossPlatformImage {
        var options: KingfisherOptionsInfo = [
            .cacheMemoryOnly, .forceRefresh, .memoryCacheExpiration(.expired),
        ]
        if let processor = encoding.processor(isWritten: true, as: item.format) {
            options.append(.processor(processor))
        }
        let provider = RawImageDataProvider(data: bytes, cacheKey: item.input.path)
        return try await manager.retrieveImage(with: .provider(provider), options: options).image
    }

    /// The bytes without the metadata that is to be removed, if they already are the requested file.
    private func copy(of bytes: Data, as target: PictureFormat) throws -> EncodingOptions.Copy? {
        guard PictureFormat(bytes.kf.imageFormat) == target else { return nil }
        return try encoding.copy(of: bytes)
    }

    /// Writes below the output folder, and never to another place through a symbolic link.
    private func write(_ data: Data, to path: String) throws {
        let folder = AtomicFile.folder(of: path)
        try AtomicFile.makeFolder(folder)
        let real = InputSearch.resolved(folder) ?? folder
        guard real == root || real.hasPrefix(root == "/" ? "/" : root + "/") else {
            throw Failure("\(path) leaves the output folder through a symbolic link")
        }
        try AtomicFile.write(data, to: path)
    }
}

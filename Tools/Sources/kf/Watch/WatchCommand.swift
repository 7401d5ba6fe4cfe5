import ArgumentParser
import Foundation
import Kingfisher

/// `kf watch`: converts the files of a folder when they change.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Converts the images of a folder, now and whenever they change.",
        discussion: """
            Begins with the images whose output is missing or older, and goes on with those that \
            are written or moved into the folder or one below it, until it is ended (Ctrl-C). \
            Names and steps are as in kf convert. Outputs of removed images stay.

            Examples:
              kf watch photos -o small -p downsample:400x400
              kf watch drawings -o web --format webp --json

            \(EncodingOptions.help)
            """
    )

    @Argument(help: "The folder to watch.", completion: .directory)
    var folder: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The output folder; created if missing.", valueName: "dir"),
        completion: .directory
    )
    var output: String

    @Option(
        help: ArgumentHelp("The names of the outputs, as in kf convert.", valueName: "template"),
        transform: { try NameTemplate($0) }
    )
    var name: NameTemplate?

    @OptionGroup var exclusion: ExclusionOptions

    @OptionGroup var encoding: EncodingOptions

    @Flag(
        help: "Decode in separate processes without access to files or the network."
    )
    var isolate = false

    @Option(
        help: ArgumentHelp("The time limit of each file. (default: none)", valueName: "seconds")
    )
    var timeout: Double?

    @OptionGroup var truncation: TruncationOptions
    @OptionGroup var pages: PageOptions
    @OptionGroup var part: ClipOptions

    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        if let timeout { try ReadOptions.check(timeout: timeout) }
        try part.part.check(pages)
        if folder.isEmpty { throw ValidationError("the folder has no name") }
        if output.isEmpty || output == "-" { throw ValidationError("the output must be a folder") }
    }

    func run() async throws {
        do {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
                isFolder.boolValue
            else { throw Failure("\(folder) is no folder") }
            try AtomicFile.makeFolder(output)
            try AtomicFile.checkWritable(output)
            guard InputSearch.resolved(folder) != InputSearch.resolved(output) else {
                throw Failure("\(folder) is also the output folder; choose another one with -o")
            }
            var versions: [String: String] = [:]
            var held: Set<String> = []
            for try await change in FolderChanges.of(folder, leavingOut: output) {
                // A removal matters only if it ends a conflict of names.
                guard change.includesAll || !change.files.isEmpty || !held.isEmpty else { continue }
                held = try await convert(change, held, &versions)
            }
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    /// Converts what a change concerns; failures are reported, and do not end the watch.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - held: The files that a conflict of names has held up.
    ///   - versions: The last version of each file that was converted, or has failed. An event may
    ///     report a version that a look at the whole folder has found before.
    /// - Returns: The files that are held up now.
    /// - Throws: A ``Failure`` if outputs would become inputs.
    private func convert(
        _ change: FolderChanges.Change,
        _ held: Set<String>,
        _ versions: inout [String: String]
    ) async throws -> Set<String> {
        // All files are planned, so that two inputs with one name keep their suffixes.
        let search = InputSearch(leavingOut: output, excluding: exclusion.exclude)
        let (found, failures) = search.search([folder])
        // A folder without images is no failure here.
        for (path, failure) in failures where change.includesAll && path != folder {
            _ = ErrorReport.exit(for: failure, source: path, out)
        }
        guard !found.isEmpty else { return held }
        let plan = ConvertPlan(
            inputs: found,
            folder: output,
            name: name,
            format: encoding.format,
            clip: part.clip
        )
        try checkPlaces(of: plan, search)
        for conflict in plan.conflicts
        where change.includesAll || !conflict.inputs.isDisjoint(with: change.files) {
            _ = ErrorReport.exit(for: conflict.failure, source: nil, out)
        }
        let converter = Converter(
            plan: plan,
            encoding: encoding,
            skipsExisting: false,
            preservesTime: false,
            splitsAnimations: false,
            isolates: isolate,
            acceptsTruncated: truncation.acceptTruncated,
            timeout: timeout,
            pages: pages,
            clip: part.clip
        )
        let seen = versions
        versions = [:]
        let conflicting = Set(plan.conflicts.flatMap(\.inputs))
        var stillHeld: Set<String> = []
        let items = plan.items.filter { item in
            let path = item.input.path
            versions[path] = seen[path]
            // The event of its closing is still to come.
            guard
                change.files.contains(path) || held.contains(path)
                    || change.includesAll && isOutdated(item),
                !FileInUse.isBeingWritten(path)
            else { return false }
            let version = URL(fileURLWithPath: path).absoluteURL.cacheKey
            guard seen[path] != version else { return false }
            guard !conflicting.contains(path) else {
                stillHeld.insert(path)
                return false
            }
            versions[path] = version
            return true
        }
        let width = ProcessInfo.processInfo.activeProcessorCount
        await Batch.run(items, width: width) { item in
            let outcome = await converter.outcome(of: item)
            try? out.print(outcome)
            if let error = outcome.error { Terminal.note("kf: " + error, style: .red) }
        }
        return stillHeld
    }

    /// Throws a ``Failure`` if an output would be found as an input.
    private func checkPlaces(of plan: ConvertPlan, _ search: InputSearch) throws {
        guard let root = Self.place(of: folder), let target = Self.place(of: output) else { return }
        // An output folder below the watched one is left out of it.
        if (target + "/").hasPrefix(root + "/") { return }
        for item in plan.items {
            let title = item.outputTitle(in: output)
            guard let path = Self.place(of: title), path.hasPrefix(root + "/"),
                !search.passesOver(String(path.dropFirst(root.count + 1)))
            else { continue }
            throw Failure("\(title) would be in the watched folder; change --name")
        }
    }

    /// The path without symbolic links; its last components need not exist.
    private static func place(of path: String) -> String? {
        if let real = InputSearch.resolved(path) { return real }
        let folder = AtomicFile.folder(of: path)
        guard folder != path, let real = place(of: folder) else { return nil }
        return (real as NSString).appendingPathComponent((path as NSString).lastPathComponent)
    }

    /// Whether the output of a file is missing, older, or not known by name.
    private func isOutdated(_ item: ConvertPlan.Item) -> Bool {
        func time(_ path: String) -> Date? {
            // Nil for a file that is not there.
            let values = try? FileManager.default.attributesOfItem(atPath: path)
            return values?[.modificationDate] as? Date
        }
        guard let input = time(item.input.path) else { return false }
        let title = item.outputTitle(in: output)
        return !OutputPlace.isTaken(title) || time(title).map { $0 < input } ?? true
    }
}

import ArgumentParser
import Foundation
import Kingfisher

/// `kf convert`: converts many files into a folder.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts files, folders and patterns of files into a folder.",
        discussion: """
            Folders are searched recursively for files with the suffix of an image; hidden files \
            are skipped. Quoted patterns are expanded: * and ? within a name, ** for any number \
            of folders. Failures do not stop the conversion, unless the disk is full; they are \
            listed at the end, and the exit status is 1.

            \(NameTemplate.help) Other equal names are refused before anything is written.

            --name sets other names: {stem} is the input's name without its suffix, \
            {ext} that suffix, {dir} its folder relative to the searched one, {format} the suffix, {width} and \
            {height} the size of the result in pixels.

            Examples:
              kf convert photos -o small -p downsample:400x400
              kf convert 'raw/**/*.png' -o web --format webp --name '{stem}-{width}'
              kf convert clip.gif -o frames --format png --all-frames
              kf convert films -o clips --from 3 --to 6 --fps 12 -p resize:320x

            \(EncodingOptions.help)
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
        help: ArgumentHelp("The output folder; created if missing.", valueName: "dir"),
        completion: .directory
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "The names of the outputs. (default: {dir}/{stem}.{format}, see above)",
            valueName: "template"
        ),
        transform: { try NameTemplate($0) }
    )
    var name: NameTemplate?

    @OptionGroup var encoding: EncodingOptions

    @Flag(help: "Skip files whose output already exists.")
    var skipExisting = false

    @Flag(help: "Write each frame of an animation into a file of its own, such as a-01.png.")
    var allFrames = false

    @Flag(help: "Give each output the time of the last change of its input.")
    var preserveTime = false

    @Flag(help: "Print the outputs without writing them.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "The number of concurrent conversions; one per core by default.",
            valueName: "n"
        )
    )
    var jobs: Int?

    @Option(
        help: ArgumentHelp("The time limit of each file. (default: none)", valueName: "seconds")
    )
    var timeout: Double?

    @Flag(
        help: "Decode in separate processes without access to files or the network."
    )
    var isolate = false

    @OptionGroup var truncation: TruncationOptions
    @OptionGroup var pages: PageOptions
    @OptionGroup var part: ClipOptions

    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        try listing.check(inputs)
        if let jobs, !(1...256).contains(jobs) {
            throw ValidationError("--jobs must be from 1 to 256")
        }
        if let timeout { try ReadOptions.check(timeout: timeout) }
        try part.part.check(pages)
        if allFrames, skipExisting || encoding.frame != nil {
            throw ValidationError("--all-frames is not for --skip-existing and --frame")
        }
        if output.isEmpty || output == "-" {
            throw ValidationError(
                "the output must be a folder; kf get can write to standard output"
            )
        }
        try checkOutput()
    }

    func run() async throws {
        do {
            let (found, failures) = try InputSearch(
                leavingOut: output,
                excluding: listing.exclude
            )
            .files(listing.all(inputs))
            let missing = failures.map { input, failure in
                ConvertOutcome(
                    input: input,
                    error: ErrorReport.line(for: failure, source: input)
                )
            }
            let plan = ConvertPlan(
                inputs: found,
                folder: output,
                name: name,
                format: encoding.format,
                clip: part.clip
            )
            if let conflict = plan.conflicts.first { throw conflict.failure }
            if dryRun { return try printed(plan, missing) }
            try AtomicFile.makeFolder(output)
            try AtomicFile.checkWritable(output)
            if !out.quiet {
                pages.noteUnused(by: found.map(\.path), clip: part.clip)
                let formats = plan.items.map { $0.format ?? .png }
                encoding.noteUnused(by: formats)
                if allFrames, part.clip == nil { noteVideo(among: found) }
                part.noteShortDelays(in: formats)
            }
            try await convert(plan, missing)
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    // MARK: - Steps

    /// Prints a note that not all frames of a video are written.
    private func noteVideo(among files: [InputSearch.Found]) {
        guard files.contains(where: { LocalDocument($0.path)?.kind == .video }) else { return }
        Terminal.note(
            "kf: --all-frames takes one frame of a video; --from and --to take those of a part"
        )
    }

    /// Refuses the name of an image, which was hardly meant to become a folder.
    private func checkOutput() throws {
        let suffix = (output as NSString).pathExtension
        guard PictureFormat(name: suffix) != nil, !output.hasSuffix("/") else { return }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
        guard !exists || !isFolder.boolValue else { return }
        throw ValidationError(
            "'\(output)' is the name of an image, and the output is a folder; kf get writes one "
                + "file, and '\(output)/' means a folder"
        )
    }

    private func printed(_ plan: ConvertPlan, _ missing: [ConvertOutcome]) throws {
        let failures = Failures()
        for item in plan.items {
            let exists = skipExisting && plan.isThere(item)
            try out.print(
                ConvertOutcome(
                    input: item.input.path,
                    output: item.outputTitle(in: output),
                    status: exists ? .skipped : .planned
                )
            )
            failures.addImage(isSkipped: exists)
        }
        for outcome in missing {
            if out.json { report(outcome) }
            failures.add(outcome.error ?? "failed")
        }
        for line in failures.all { Terminal.note("kf: " + line, style: .red) }
        try out.print(failures.summary, of: listing, inputs)
        if !missing.isEmpty { throw ExitCode.failure }
    }

    private func convert(_ plan: ConvertPlan, _ missing: [ConvertOutcome]) async throws {
        let converter = Converter(
            plan: plan,
            encoding: encoding,
            skipsExisting: skipExisting,
            preservesTime: preserveTime,
            splitsAnimations: allFrames,
            isolates: isolate,
            acceptsTruncated: truncation.acceptTruncated,
            timeout: timeout,
            pages: pages,
            clip: part.clip
        )
        let tally = ConvertTally(
            total: plan.items.count + missing.count,
            showsProgress: out.showsProgress
        )
        let width = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        tally.draw()
        for outcome in missing {
            tally.add(outcome)
            if out.json || out.verbose { report(outcome) }
        }
        await Batch.run(plan.items, width: width) { item in
            let outcome = await converter.outcome(of: item)
            tally.add(outcome)
            if out.json || out.verbose { report(outcome) }
        }
        Terminal.showStatus("")
        let summary = tally.summary()
        for failure in summary.failures {
            Terminal.note("kf: \(failure)", style: .red)
        }
        if summary.notDone > 0 {
            let advice = "make room, and run it again with --skip-existing"
            Terminal.note(
                "kf: error: the disk is full, \(summary.notDone) files were not tried; \(advice)",
                style: .red
            )
        }
        if summary.truncated > 0, !out.quiet {
            let what = summary.truncated == 1 ? "1 file ends" : "\(summary.truncated) files end"
            Terminal.note("kf: \(what) early; the rest of the image is missing")
        }
        if summary.withoutMotion > 0, !out.quiet {
            let what =
                summary.withoutMotion == 1 ? "1 animation" : "\(summary.withoutMotion) animations"
            Terminal.note(
                "kf: kept only the first frame of \(what); --format webp, avif or gif keeps all "
                    + "frames, --all-frames writes each"
            )
        }
        if summary.withoutFurtherImages > 0, !out.quiet {
            let count = summary.withoutFurtherImages
            let what = count == 1 ? "1 photo" : "\(count) photos"
            Terminal.note("kf: removed further images, maps of light or films behind \(what)")
        }
        if summary.withoutPosition > 0, !out.quiet, !encoding.asksForPosition {
            let count = summary.withoutPosition
            let what = count == 1 ? "1 photo was" : "\(count) photos were"
            Terminal.note("kf: removed where \(what) taken; --keep all keeps it")
        }
        try out.print(summary, of: listing, inputs)
        if summary.failed > 0 { throw ExitCode.failure }
    }

    private func report(_ outcome: ConvertOutcome) {
        // Encoding cannot fail: an outcome consists of strings and numbers.
        if out.json, let line = try? outcome.jsonLine() { return Terminal.print(line) }
        Terminal.note(outcome.summary(), style: .dim)
    }
}

import ArgumentParser

/// The options for the output of a command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON instead of text, one object per line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors, and the output of --json.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print details on standard error.")
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose cannot be combined") }
        LibraryLog.shared.level = verbose ? .verbose : quiet ? .quiet : .normal
    }

    /// Prints a report as JSON or, unless the command is quiet, as text.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - toError: Whether to use standard error, because the image goes to standard output.
    /// - Throws: The encoder's error.
    func print(_ report: some Report, toError: Bool = false) throws {
        let text = json ? try report.jsonLine() : report.summary()
        guard json || !quiet, !text.isEmpty else { return }
        if toError { Terminal.note(text) } else { Terminal.print(text) }
    }

    /// Prints what sums up several inputs; as JSON only if there may be several.
    ///
    /// - Parameters:
    ///   - report: The summary.
    ///   - listing: The options for the inputs.
    ///   - inputs: Those on the command line.
    /// - Throws: The encoder's error.
    func print(_ report: some Report, of listing: InputOptions, _ inputs: [String]) throws {
        if !json || listing.mayBeSeveral(inputs) { try print(report) }
    }

    /// Prints a failure as JSON, if that is the output; people read it on standard error.
    func printFailure(_ error: any Error, source: String?) {
        // Encoding cannot fail: a failure consists of strings.
        guard json, let line = try? FailureReport(error, source: source).jsonLine() else { return }
        Terminal.print(line)
    }

    /// Prints a detail if the command is verbose.
    func detail(_ text: @autoclosure () -> String) {
        if verbose { Terminal.note(text(), style: .dim) }
    }

    /// Whether progress is shown: only on a terminal.
    var showsProgress: Bool { Terminal.errorIsTerminal && !quiet }
}

import ArgumentParser

/// The root command.
struct KFCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kf",
        abstract: "Loads, converts and caches images with Kingfisher.",
        discussion: """
            Examples:
              kf get https://example.com/photo.jpg -p resize:400x -o small.webp
              kf info photo.jpg

            With --json every line is an object with a status. One about an image has its source; \
            if that failed, status is failed and error says why. Of several inputs, a folder, a \
            pattern or a list, a last line without a source is the sum, in every command that \
            takes them; one file or URL has its line alone. kf.schema.json in the documentation \
            describes the fields.

            Exit status: 0 on success, 1 on failure, 64 for wrong usage. NO_COLOR in the \
            environment turns colours off.
            """,
        version: "kf 0.1.0 (Kingfisher for Linux)",
        subcommands: [
            GetCommand.self, ConvertCommand.self, WatchCommand.self, OptimizeCommand.self,
            InfoCommand.self,
            ShowCommand.self,
            SrcsetCommand.self, SheetCommand.self, AnimateCommand.self, IconCommand.self,
            DiffCommand.self,
            CompareCommand.self,
            PlaceholderCommand.self,
            PrefetchCommand.self,
            ExplainCommand.self, TraceCommand.self,
            CacheCommand.self, ServeCommand.self, CompletionsCommand.self,
            ManualCommand.self,
        ]
    )
}

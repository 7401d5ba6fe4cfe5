import ArgumentParser

@main
struct KFCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kf",
        abstract: "Loads, converts and caches pictures with Kingfisher.",
        discussion: """
            Exit status: 0 when all went well, 1 when something failed, 64 for wrong usage.
            """,
        subcommands: [
            GetCommand.self, InfoCommand.self, PlaceholderCommand.self, CacheCommand.self,
            DemoCommand.self,
        ]
    )
}

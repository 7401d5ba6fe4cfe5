import Testing

/// The rules applied to this repository.
struct LayeringTests {
    let tree: SourceTree

    init() throws {
        tree = try SourceTree(
            reading: ["Sources", "Tools/Sources", "Benchmarks/Sources", "Examples/Sources"]
        )
    }

    @Test func `the sources are found`() {
        #expect(tree.paths.contains("Sources/Kingfisher/Support/KingfisherWrapper.swift"))
        #expect(tree.paths.contains("Sources/KFPixels/Bitmap.swift"))
    }

    @Test func `a target imports only the modules in its row`() {
        #expect(LayeringRules.forbiddenImports(in: tree).isEmpty)
        #expect(LayeringRules.importsByTheWrongDoor(in: tree).isEmpty)
    }

    @Test func `every target of the package has a row`() {
        let folders = tree.paths.filter { $0.hasPrefix("Sources/") }
            .map { $0.split(separator: "/").prefix(2).joined(separator: "/") }
        #expect(folders.contains("Sources/KFPixels"))
        #expect(Set(folders).subtracting(Architecture.imports.map { $0.target }).isEmpty)
    }

    @Test func `every folder of a target with layers has a rank, and mentions only lower ones`()
        throws
    {
        let targets = Architecture.layers.map(\.target)
        let tree = try SourceTree(reading: targets)
        for target in targets { #expect(tree.below(target).count > 50) }
        #expect(LayeringRules.unrankedFolders(in: tree).isEmpty)
        #expect(LayeringRules.upwardMentions(in: tree).isEmpty)
    }

    @Test func `only facades name shared instances`() {
        #expect(LayeringRules.sharedInstances(in: tree).isEmpty)
    }

    @Test func `every unchecked Sendable has its reason beside it`() {
        #expect(LayeringRules.unexplainedUncheckedSendable(in: tree).isEmpty)
    }

    @Test func `nothing is nonisolated and unsafe`() {
        #expect(LayeringRules.nonisolatedUnsafe(in: tree).isEmpty)
    }

    @Test func `identity is never random`() {
        #expect(LayeringRules.randomIdentities(in: tree).isEmpty)
    }

    @Test func `threads start and pause in one place each`() throws {
        let sources = try SourceTree(
            reading: ["Sources", "Tools/Sources", "Server/Sources", "Examples/Sources"],
            suffixes: [".swift", ".c", ".h"]
        )
        #expect(LayeringRules.threadStarts(in: sources).isEmpty)
        #expect(LayeringRules.sleepers(in: sources).isEmpty)
        #expect(LayeringRules.plainWrites(in: sources).isEmpty)
    }

    @Test func `the main queue is used only where the list says why`() {
        #expect(LayeringRules.mainQueueUses(in: tree).isEmpty)
        for (file, _) in Architecture.mainQueueUses {
            #expect(tree.paths.contains("Sources/Kingfisher/" + file))
        }
    }

    @Test func `sizes from headers and callers are multiplied in one place`() {
        #expect(LayeringRules.uncheckedAreas(in: tree).isEmpty)
    }

    @Test func `names from outside are compared and divided as bytes`() {
        #expect(LayeringRules.comparedCharacters(in: tree).isEmpty)
    }

    @Test func `programs that decode in workers decode nothing themselves`() throws {
        let programs = try SourceTree(reading: ["Tools/Sources", "Server/Sources"])
        #expect(programs.paths.count > 100)
        #expect(LayeringRules.decodingHere(in: programs).isEmpty)
    }

    @Test func `bytes of the cache are read by the store alone`() throws {
        let sources = try SourceTree(reading: ["Sources", "Tools/Sources", "Server/Sources"])
        #expect(sources.paths.count > 300)
        #expect(LayeringRules.entryPaths(in: sources).isEmpty)
    }

    @Test func `no test takes an element that is missing when it is cancelled`() throws {
        let tests = try SourceTree(reading: ["Tests", "Tools/Tests", "Server/Tests"])
        #expect(tests.paths.count > 400)
        #expect(LayeringRules.elementsThatMayBeMissing(in: tests) == [])
    }

    @Test func `no file is too long`() {
        #expect(LayeringRules.overlongFiles(in: tree).isEmpty)
    }
}

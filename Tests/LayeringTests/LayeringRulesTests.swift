import Testing

/// The rules applied to made-up trees, each with one violation.
struct LayeringRulesTests {
    /// A small tree without violations.
    static let sound = SourceTree([
        "Sources/KFPixels/Bitmap.swift": "package struct Bitmap {}",
        "Sources/KFCodecs/Codecs.swift": "package import KFPixels\nenum Codecs { case a(Bitmap) }",
        "Sources/Kingfisher/Support/Clock.swift": "import Synchronization\nprotocol Clock {}",
        "Sources/Kingfisher/Caching/Disk/DiskStore.swift":
            "import Logging\nactor DiskStore { let c: Clock }",
        "Sources/Kingfisher/HTTP/Curl.swift": "import CKFCurl\nstruct Curl {}",
        "Sources/Kingfisher/Caching/ImageCache.swift":
            "public class ImageCache { static let `default` = ImageCache(); let s: DiskStore }",
        "Sources/Kingfisher/Options/Options.swift": "enum Options { case cache(ImageCache) }",
        "Sources/Kingfisher/Pipeline/Pipeline.swift": "struct Pipeline { let cache: ImageCache }",
        "Sources/Kingfisher/KingfisherManager.swift":
            "class KingfisherManager { let p = Pipeline(ImageCache.default) }",
        "Sources/Kingfisher/Display/KF.swift": "enum KF { let m = KingfisherManager.shared }",
        "Tools/Sources/kf/KF.swift": "import ArgumentParser\nimport Kingfisher",
        "Server/Sources/KingfisherServer/Service/ImageHandler.swift": "struct ImageHandler {}",
    ])

    static let rules: [@Sendable (SourceTree) -> [String]] = [
        LayeringRules.forbiddenImports, LayeringRules.importsByTheWrongDoor,
        LayeringRules.unrankedFolders, LayeringRules.upwardMentions,
        LayeringRules.sharedInstances, LayeringRules.unexplainedUncheckedSendable,
        LayeringRules.nonisolatedUnsafe, LayeringRules.randomIdentities,
        LayeringRules.uncheckedAreas, LayeringRules.comparedCharacters,
        LayeringRules.overlongFiles, LayeringRules.threadStarts, LayeringRules.sleepers,
        LayeringRules.mainQueueUses, LayeringRules.decodingHere, LayeringRules.entryPaths,
        LayeringRules.plainWrites,
    ]

    private func planted(_ path: String, _ text: String) -> SourceTree {
        var tree = Self.sound
        tree.files[path] = text
        return tree
    }

    @Test func `a sound tree breaks no rule`() {
        for rule in Self.rules { #expect(rule(Self.sound) == []) }
    }

    @Test func `a floor that imports the floor above is found`() {
        let tree = planted("Sources/KFPixels/Up.swift", "\npackage import KFCodecs")
        #expect(
            LayeringRules.forbiddenImports(in: tree) == [
                "Sources/KFPixels/Up.swift:2 imports KFCodecs"
            ]
        )
    }

    @Test(arguments: ["KFPixels", "KFCodecs", "CKFCurl"])
    func `the tool importing more than the public library is found`(module: String) {
        let tree = planted("Tools/Sources/kf/Deep.swift", "import struct \(module).Thing")
        #expect(
            LayeringRules.forbiddenImports(in: tree)
                == ["Tools/Sources/kf/Deep.swift:1 imports \(module)"]
        )
    }

    @Test func `curl outside its folder is found`() {
        let tree = planted(
            "Sources/Kingfisher/Networking/Fast.swift",
            "internal import CKFCurlShim"
        )
        #expect(
            LayeringRules.importsByTheWrongDoor(in: tree)
                == ["Networking/Fast.swift:1 imports CKFCurlShim"]
        )
    }

    @Test(arguments: [
        "let thread = Thread { work() }", "Thread(block: work).start()",
        "Thread.detachNewThread { work() }", "Foundation.Thread { work() }",
        "final class Worker: Thread {}",
        "pthread_create(&thread, nil, body, nil)",
    ])
    func `a thread that is started without a check is found`(code: String) {
        let path = "Sources/Kingfisher/HTTP/Thread.swift"
        #expect(LayeringRules.threadStarts(in: planted(path, code)) == ["\(path):1"])
        let starter = planted(Architecture.threadStarter + "threads.c", code)
        #expect(LayeringRules.threadStarts(in: starter).isEmpty)
    }

    @Test(arguments: [
        "try data.write(to: url)", "files.createFile(atPath: path, contents: data)",
        "let file = fopen(path, \"w\")",
    ])
    func `a file that kf writes by itself is found`(code: String) {
        let path = "Tools/Sources/kf/Fresh/FreshCommand.swift"
        #expect(LayeringRules.plainWrites(in: planted(path, code)) == ["\(path):1"])
    }

    @Test(arguments: [
        "sleep(1)", "    usleep(20_000)", "Thread.sleep(forTimeInterval: 1)",
        "(void)nanosleep(&t, 0);",
    ])
    func `a thread that sleeps is found`(code: String) {
        let path = "Sources/Kingfisher/HTTP/Thread.swift"
        #expect(LayeringRules.sleepers(in: planted(path, code)) == ["\(path):1"])
        let tasks = planted(
            path,
            "try await clock.sleep(1); try await Task.sleep(for: .seconds(1))"
        )
        #expect(LayeringRules.sleepers(in: tasks).isEmpty)
    }

    @Test(arguments: [
        "DispatchQueue.main.async {}", "@MainActor func f() {}", "await MainActor.run {}",
        "OperationQueue.main.addOperation",
        "queue.execute(on: .mainAsync)", "RunLoop.main.perform {}",
    ])
    func `the main queue in a file of the core is found`(code: String) {
        let path = "Sources/Kingfisher/HTTP/Main.swift"
        #expect(LayeringRules.mainQueueUses(in: planted(path, code)) == ["\(path):1"])
        for path in ["Display/Main.swift", "Support/CallbackQueue.swift"] {
            let tree = planted("Sources/Kingfisher/" + path, code)
            #expect(LayeringRules.mainQueueUses(in: tree).isEmpty)
        }
    }

    @Test func `a folder without a rank is found`() {
        let tree = planted("Sources/Kingfisher/Utilities/Misc.swift", "enum Misc {}")
        #expect(LayeringRules.unrankedFolders(in: tree) == ["Sources/Kingfisher/Utilities"])
    }

    @Test(arguments: [
        ("Kingfisher/Caching/Disk", "let x: Pipeline", "Pipeline of Pipeline"),
        ("Kingfisher/Caching/Disk", "let x: [Curl]", "Curl of HTTP"),
        ("Kingfisher/Support", "func f() -> DiskStore?", "DiskStore of Caching/Disk"),
        ("Kingfisher/Caching", "let x = Pipeline.load", "Pipeline of Pipeline"),
        (
            "Kingfisher/Pipeline", "let m: KingfisherManager",
            "KingfisherManager of Sources/Kingfisher"
        ),
        ("Kingfisher/Prefetching", "let k = KF.self", "KF of Display"),
        ("KFCodecs/PNG", "let c: Codecs", "Codecs of Sources/KFCodecs"),
        (
            "Server/Sources/KingfisherServer/URL", "let handler: ImageHandler",
            "ImageHandler of Service"
        ),
    ])
    func `a mention of a type that is not of a lower rank is found`(
        folder: String,
        code: String,
        what: String
    ) {
        let path = (folder.hasPrefix("Server") ? "" : "Sources/") + "\(folder)/Bad.swift"
        let tree = planted(path, "struct Bad { \(code) }")
        #expect(LayeringRules.upwardMentions(in: tree) == ["\(path):1 mentions \(what)"])
    }

    @Test(arguments: [
        "// like Pipeline does\nstruct Fine {}",
        "/* Pipeline /* nested */ KF */ struct Fine {}",
        #"let text = "Pipeline \(f("KF")) KF""#,
        "let raw = #\"Pipeline \" KF\"#",
        "let lines = \"\"\"\n  Pipeline \"KF\"\n  \"\"\"",
        "struct Fine { enum Pipeline {}; let p: Pipeline }",
        "let fine = other.Pipeline",
    ])
    func `a mention that only looks like one is not reported`(text: String) {
        let tree = planted("Sources/Kingfisher/Caching/Disk/Fine.swift", text)
        #expect(LayeringRules.upwardMentions(in: tree) == [])
    }

    @Test(arguments: ["KingfisherManager.shared", "ImageCache.default", "ImageDownloader.default"])
    func `a shared instance below the facades is found`(name: String) {
        let tree = planted("Sources/Kingfisher/Pipeline/Bad.swift", "let x = \(name)")
        #expect(LayeringRules.sharedInstances(in: tree) == ["Pipeline/Bad.swift:1 names \(name)"])
    }

    @Test func `an unchecked Sendable without a reason is found`() {
        let path = "Sources/KFPixels/Bad.swift"
        let bare = planted(path, "/// A thing.\nfinal class Bad: @unchecked Sendable {}")
        #expect(LayeringRules.unexplainedUncheckedSendable(in: bare) == ["\(path):2"])
        let told = planted(
            path,
            "/// `@unchecked`: immutable.\nfinal class Bad: @unchecked Sendable {}"
        )
        #expect(LayeringRules.unexplainedUncheckedSendable(in: told) == [])
    }

    @Test func `nonisolated unsafe is found`() {
        let path = "Sources/KFPixels/Bad.swift"
        let tree = planted(path, "// nonisolated(unsafe)\nnonisolated(unsafe) var x = 1")
        #expect(LayeringRules.nonisolatedUnsafe(in: tree) == ["\(path):2"])
    }

    @Test func `an element that may be missing is found in a test`() {
        let path = "Tests/KingfisherTests/BadTests.swift"
        let tree = planted(path, "transport.transfer(0)\nall[0]\n_ = ends" + ".value[0].get()")
        #expect(LayeringRules.elementsThatMayBeMissing(in: tree) == ["\(path):3"])
    }

    @Test func `a random identity is found`() {
        let path = "Sources/KFPixels/Bad.swift"
        let tree = planted(path, "// UUID()\nlet id = UUID()")
        #expect(LayeringRules.randomIdentities(in: tree) == ["\(path):2"])
    }

    @Test(arguments: [
        "let count = size.width * size.height", "let bytes = 4 * header.height * header.width",
        "f(Int(image.width) * Int(image.height))", "(size.pixelCount ?? 0) * 4",
        "let bytes = size.width * 4 * size.height",
    ])
    func `sides multiplied by hand are found`(line: String) {
        let tree = planted("Sources/KFCodecs/Bad.swift", "// width * height\n\(line)")
        #expect(LayeringRules.uncheckedAreas(in: tree) == ["Sources/KFCodecs/Bad.swift:2"])
        let kernel = planted("Sources/KFPixels/Kernel.swift", line)
        #expect(LayeringRules.uncheckedAreas(in: kernel).isEmpty)
    }

    @Test func `a row's bytes and a count that saturates are left alone`() {
        let text =
            "let a = width * 4\nlet b = y * bytesPerRow + x\nsize.byteCount(bytesPerPixel: 4)"
        #expect(
            LayeringRules.uncheckedAreas(in: planted("Sources/KFCodecs/Good.swift", text)) == []
        )
    }

    @Test(arguments: [
        "var lines: [String: Int] = [:]", "let names: Set<String> = []", "name.hasPrefix(\".\")",
        "path.split(separator: \"/\")", "path.lastIndex(of: \"/\")", "key.prefix { $0 != \"@\" }",
        "for letter: Character in name {}", "name.replacingOccurrences(of: \"/\", with: \"-\")",
        "url.lastPathComponent",
    ])
    func `a name that is compared by characters is found`(line: String) {
        let path = "Sources/Kingfisher/Caching/Disk/Planted.swift"
        #expect(LayeringRules.comparedCharacters(in: planted(path, line)) == ["\(path):1"])
        let elsewhere = planted("Sources/Kingfisher/Display/Planted.swift", line)
        #expect(LayeringRules.comparedCharacters(in: elsewhere).isEmpty)
    }

    @Test(arguments: [
        "var lines: [ByteText: Int] = [:]", "path.utf8.lastIndex(of: UInt8(ascii: \"/\"))",
        "name.startsWithBytes(of: \".\")", "// by Character",
    ])
    func `a name that is compared by bytes is left alone`(line: String) {
        let tree = planted("Sources/Kingfisher/Caching/Disk/Planted.swift", line)
        #expect(LayeringRules.comparedCharacters(in: tree).isEmpty)
    }

    @Test(arguments: [
        "let info = try ImageFileInfo(data: bytes)", "KFCrossPlatformImage(data: bytes)",
        "let source = EncodedFrameSource(data, scale: 1)",
        "KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options)",
    ])
    func `a program that decodes without regard to isolation is found`(line: String) {
        for path in ["Tools/Sources/kf/Bad.swift", "Server/Sources/KingfisherServer/Bad.swift"] {
            #expect(LayeringRules.decodingHere(in: planted(path, "\n\(line)")) == ["\(path):2"])
        }
        #expect(LayeringRules.decodingHere(in: planted("Sources/Kingfisher/A.swift", line)) == [])
        // Where one use is allowed, a second one is not.
        let path = "Tools/Sources/kf/Shared/InputFile.swift"
        let info = "ImageFileInfo(data: bytes)"
        #expect(LayeringRules.decodingHere(in: planted(path, info)) == [])
        #expect(LayeringRules.decodingHere(in: planted(path, "\(info)\n\(info)")).count == 2)
    }

    @Test(arguments: [
        "try Data(contentsOf: cache.cacheFileURLIfOnDisk(forKey: key)!)",
        "open(cache.cachePath(forKey: key), O_RDONLY)", "storage.cacheFileURL(forKey: key)",
    ])
    func `a path of an entry outside the store is found`(line: String) {
        for path in ["Tools/Sources/kf/Bad.swift", "Sources/Kingfisher/Pipeline/Bad.swift"] {
            #expect(LayeringRules.entryPaths(in: planted(path, "\n\(line)")) == ["\(path):2"])
        }
        let store = "Sources/Kingfisher/Caching/Good.swift"
        #expect(LayeringRules.entryPaths(in: planted(store, line)) == [])
    }

    @Test func `a file of 401 lines is found, one of 400 is not`() {
        let path = "Sources/KFPixels/Long.swift"
        let line = "let x = 1\n"
        let long = planted(path, String(repeating: line, count: 401))
        #expect(LayeringRules.overlongFiles(in: long) == ["\(path) has 401 lines"])
        let full = planted(path, String(repeating: line, count: 400))
        #expect(LayeringRules.overlongFiles(in: full) == [])
        let described = String(repeating: "    /// Text.\n" + line, count: 400)
        #expect(LayeringRules.overlongFiles(in: planted(path, described)) != [])
        let undivided = planted(Architecture.undivided[0], described)
        #expect(LayeringRules.overlongFiles(in: undivided) == [])
    }
}

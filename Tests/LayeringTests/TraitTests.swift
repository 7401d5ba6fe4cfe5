import Foundation
import Testing

/// GTK is needed only with its trait.
struct TraitTests {
    private static let folders = [
        "Sources/KingfisherGTK", "Sources/CKFGTK", "Tests/KingfisherGTKTests",
    ]

    private let tree: SourceTree
    private let manifest: String

    init() throws {
        tree = try SourceTree(reading: Self.folders, suffixes: [".swift", ".c", ".h"])
        let file = SourceTree.repository.appendingPathComponent("Package.swift")
        manifest = try String(contentsOf: file, encoding: .utf8)
    }

    @Test func `without the trait nothing needs GTK's headers`() {
        #expect(tree.paths.contains("Sources/CKFGTK/include/CKFGTK.h"))
        #expect(tree.paths.contains("Sources/CKFGTK/paintable.c"))
        #expect(TraitRules.unguardedFiles(in: tree) == [])
        #expect(TraitRules.headersThatNeedGTK(in: tree) == [])
        #expect(TraitRules.unconditionalNeeds(in: manifest) == [])
    }

    @Test func `without the trait Redis nothing needs hiredis`() throws {
        let folders = ["Sources/KingfisherRedis", "Sources/CKFRedisShim"]
        let tree = try SourceTree(reading: folders, suffixes: [".swift", ".c", ".h"])
        #expect(tree.paths.contains("Sources/CKFRedisShim/replies.c"))
        #expect(TraitRules.unguardedFiles(in: tree, guards: TraitRules.redisGuards) == [])
        let header =
            tree.files["Sources/CKFRedisShim/include/CKFRedisShim.h"] ?? "#include <hiredis"
        #expect(!header.contains("#include <hiredis"))
        #expect(manifest.contains(#".linkedLibrary($0, .when(traits: ["Redis"]))"#))
    }

    @Test func `files without their guard are found`() {
        let tree = SourceTree([
            "Sources/KingfisherGTK/Bad.swift": "import CKFGTKHeaders\n",
            "Sources/KingfisherGTK/Half.swift": "#if GTK\n#endif\nimport CKFGTKHeaders\n",
            "Sources/KingfisherGTK/Good.swift": "#if GTK\nimport CKFGTKHeaders\n#endif\n",
            "Sources/CKFGTK/bad.c": "#include <gtk/gtk.h>\n",
            "Sources/CKFGTK/good.c": "#ifdef KF_GTK\n#include <gtk/gtk.h>\n#endif\n",
        ])
        #expect(
            TraitRules.unguardedFiles(in: tree) == [
                "Sources/CKFGTK/bad.c", "Sources/KingfisherGTK/Bad.swift",
                "Sources/KingfisherGTK/Half.swift",
            ]
        )
    }

    @Test func `a public header that includes one of GTK's is found`() {
        let tree = SourceTree([
            "Sources/CKFGTK/include/Bad.h": "#pragma once\n#include <glib.h>\n",
            "Sources/CKFGTK/include/Good.h": "#pragma once\n#include <stdint.h>\n",
            "Sources/CKFGTK/inner.h": "#include <gtk/gtk.h>\n",
        ])
        #expect(TraitRules.headersThatNeedGTK(in: tree) == ["Sources/CKFGTK/include/Bad.h"])
    }

    /// SwiftPM refuses a program if two of its packages have targets of one name below products.
    @Test func `targets of products have names that no other package has`() throws {
        let sources = SourceTree.repository.appendingPathComponent("Sources")
        let folders = try ["", "SystemLibraries"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                atPath: sources.appendingPathComponent(folder).path
            )
        }
        let names = Set(folders).subtracting(["SystemLibraries"]).filter { !$0.hasPrefix(".") }
        #expect(names.contains("CKFPNG"))
        #expect(names.filter { !TraitRules.isOwn($0) } == [])
        #expect(["Pixels", "CPNG", "CKernels"].filter(TraitRules.isOwn) == [])
    }

    @Test(arguments: [
        "dependencies: [\"CKFGTKHeaders\"],", "\"CKFGTK\", .target(name: \"CKFGTKHeaders\"),",
        ".default(enabledTraits: [\"GTK\"]),",
    ])
    func `a need of everybody is found`(line: String) {
        #expect(TraitRules.unconditionalNeeds(in: manifest + "\n    " + line).count == 1)
    }
}

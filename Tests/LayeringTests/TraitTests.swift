import Foundation
import Testing

/// Libraries of a trait are needed only with it.
struct TraitTests {
    private let manifest: String

    init() throws {
        let file = SourceTree.repository.appendingPathComponent("Package.swift")
        manifest = try String(contentsOf: file, encoding: .utf8)
    }

    private func tree(of trait: String) throws -> SourceTree {
        let folders = try #require(TraitRules.folders[trait])
        return try SourceTree(reading: folders, suffixes: [".swift", ".c", ".h"])
    }

    @Test func `the sources of every trait are guarded, and its tests are built`() throws {
        let traits = manifest.matches(of: /\.trait\(name: "(\w+)"/).map { String($0.1) }
        #expect(Set(traits) == Set(TraitRules.folders.keys))
        let library = SourceTree.repository.appendingPathComponent("Scripts/lib.sh")
        let script = try String(contentsOf: library, encoding: .utf8)
        let built = try #require(script.firstMatch(of: /tests_built=\(--traits (\S+)/)?.output.1)
        for trait in traits {
            #expect(try TraitRules.unguardedFiles(in: tree(of: trait), of: trait) == [])
            let hasTests = TraitRules.folders[trait]?.contains { $0.hasPrefix("Tests/") } ?? false
            if hasTests { #expect(built.split(separator: ",").contains(trait[...]), "\(trait)") }
        }
    }

    @Test func `without the trait nothing needs GTK's headers`() throws {
        let tree = try tree(of: "GTK")
        #expect(tree.paths.contains("Sources/CKFGTK/include/CKFGTK.h"))
        #expect(tree.paths.contains("Sources/CKFGTK/paintable.c"))
        #expect(TraitRules.headersThatNeedGTK(in: tree) == [])
        #expect(TraitRules.unconditionalNeeds(in: manifest) == [])
    }

    @Test func `without the trait Redis nothing needs hiredis`() throws {
        let tree = try tree(of: "Redis")
        #expect(tree.paths.contains("Sources/CKFRedisShim/replies.c"))
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
            TraitRules.unguardedFiles(in: tree, of: "GTK") == [
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

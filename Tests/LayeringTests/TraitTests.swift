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
        try SourceTree(
            reading: TraitRules.folders(of: trait),
            suffixes: [".swift", ".c", ".h"]
        )
    }

    @Test func `the sources of every trait are guarded, and its tests are built`() throws {
        let library = SourceTree.repository.appendingPathComponent("Scripts/lib.sh")
        let script = try String(contentsOf: library, encoding: .utf8)
        let built = try #require(script.firstMatch(of: /tests_built=\(--traits (\S+)/)?.output.1)
        let traits = TraitRules.traits(in: manifest)
        #expect(traits.contains("GTK"))
        let installs = try ["Scripts/bootstrap.sh", "INSTALL.md"].map { path in
            let file = SourceTree.repository.appendingPathComponent(path)
            return try String(contentsOf: file, encoding: .utf8)
        }
        for trait in traits {
            for page in installs { #expect(page.contains("--\(trait.lowercased())"), "\(trait)") }
            let tree = try tree(of: trait)
            #expect(tree.paths.contains { $0.hasPrefix("Sources/Kingfisher\(trait)/") })
            #expect(TraitRules.unguardedFiles(in: tree, of: trait) == [])
            #expect(TraitRules.headersThatNeedLibraries(in: tree) == [])
            let hasTests = try TraitRules.folders(of: trait).contains { $0.hasPrefix("Tests/") }
            guard hasTests else { continue }
            #expect(built.split(separator: ",").contains(trait[...]), "\(trait)")
            #expect(script.contains("Kingfisher\(trait)Tests"), "\(trait)")
        }
    }

    @Test func `without a trait nothing needs its libraries`() throws {
        #expect(try tree(of: "GTK").paths.contains("Sources/CKFGTK/include/CKFGTK.h"))
        #expect(try tree(of: "GTK").paths.contains("Sources/CKFGTK/paintable.c"))
        #expect(try tree(of: "Redis").paths.contains("Sources/CKFRedisShim/replies.c"))
        #expect(TraitRules.unconditionalNeeds(in: manifest) == [])
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

    @Test func `a public header that includes one of a library is found`() {
        let tree = SourceTree([
            "Sources/CKFGTK/include/Bad.h": "#pragma once\n#include <glib.h>\n",
            "Sources/CKFQt/include/Bad.h": "#include <stdint.h>\n#include <QtCore/qglobal.h>\n",
            "Sources/CKFGTK/include/Good.h": "#include <stdint.h>\n#include \"own.h\"\n",
            "Sources/CKFGTK/inner.h": "#include <gtk/gtk.h>\n",
        ])
        #expect(
            TraitRules.headersThatNeedLibraries(in: tree)
                == ["Sources/CKFGTK/include/Bad.h", "Sources/CKFQt/include/Bad.h"]
        )
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
        ".default(enabledTraits: [\"GTK\"]),", "linkerSettings: [.linkedLibrary(\"Qt6Gui\")]",
        "system(\"CKFQt\", \"Qt6\", apt: \"qt6\"),\n\"Kingfisher\", \"CKFQt\",",
        "system(\"CKFQt\", \"Qt6\", apt: \"qt6\"),\n.target(name: \"CKFQt\", condition: withAll),",
    ])
    func `a need of every build is found`(lines: String) {
        #expect(TraitRules.unconditionalNeeds(in: manifest + "\n    " + lines).count == 1)
    }

    @Test func `the condition of a trait has its name`() {
        let other = manifest.replacing(
            ".when(traits: [\"GTK\"])\nlet",
            with: ".when(traits: [])\nlet"
        )
        #expect(!TraitRules.unconditionalNeeds(in: other).isEmpty)
    }
}

import Foundation

/// Rules that let everything but the targets of a trait be built where its libraries are not
/// installed.
enum TraitRules {
    /// The traits of the package.
    static func traits(in manifest: String) -> [String] {
        manifest.matches(of: /\.trait\(name: "(\w+)"/).map { String($0.1) }
    }

    /// The folders whose sources are empty without a trait: those named with it.
    static func folders(of trait: String) throws -> [String] {
        try ["Sources", "Tests"].flatMap { top in
            let folder = SourceTree.repository.appendingPathComponent(top)
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.contains(trait) }.map { "\(top)/\($0)" }
        }
    }

    /// Files without a guard, which builds without the trait would compile.
    ///
    /// The condition of C is `KF_` with the name of the trait. A private header is compiled only
    /// with the files that include it; only public headers matter by themselves.
    static func unguardedFiles(in tree: SourceTree, of trait: String) -> [String] {
        let guards = [".swift": "#if \(trait)", ".c": "#ifdef KF_\(trait.uppercased())"]
        return tree.paths.filter { path in
            guard let text = tree.files[path],
                let line = guards.first(where: { path.hasSuffix($0.key) })?.value
            else { return false }
            let lines = text.split(separator: "\n")
            return lines.first.map(String.init) != line || lines.last != "#endif"
        }
    }

    /// Public headers that include more than C's own.
    static func headersThatNeedLibraries(in tree: SourceTree) -> [String] {
        let known = ["<stdbool.h>", "<stddef.h>", "<stdint.h>"]
        return tree.paths.filter { path in
            guard path.contains("/include/"), let text = tree.files[path] else { return false }
            return text.split(separator: "\n").contains { line in
                line.hasPrefix("#include <") && !known.contains { line.hasSuffix($0) }
            }
        }
    }

    /// The libraries of the system that every build needs.
    private static let required: Set = [
        "CKFJPEG", "CKFPNG", "CKFDeflate", "CKFWebP", "CKFGIF", "CKFLCMS", "CKFCurl", "CKFCrypto",
        "z", "ssl",
    ]

    /// Lines of the package's manifest that require a trait's library in every build.
    static func unconditionalNeeds(in manifest: String) -> [String] {
        let lines = manifest.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        let libraries = manifest.matches(of: /(?:system|\.linkedLibrary)\("(\w+)"/)
            .map { String($0.1) }
        let optional = Set(libraries).subtracting(required)
        let conditions = manifest.matches(of: /let (with\w+): \S+ = .when\(traits: \["(\w+)"\]\)/)
            .filter { $0.1 == "with\($0.2)" }.map { String($0.1) }
        return lines.filter { line in
            if line.contains(".default("), line.contains("\"") { return true }
            if line.contains(".linkedLibrary($"), !line.contains(".when(traits: [") { return true }
            return optional.contains { name in
                let isNamed = line.contains("\"\(name)\"") && !line.hasPrefix("system(\"\(name)\"")
                let isConditional = conditions.contains { condition in
                    line.contains(".target(name: \"\(name)\", condition: \(condition))")
                }
                return isNamed && !isConditional && !line.contains(".when(traits: [")
            }
        }
        .map(String.init)
    }

    /// Whether a target's name cannot be that of another package's target.
    static func isOwn(_ target: String) -> Bool {
        ["Kingfisher", "KF", "CKF"].contains { target.hasPrefix($0) }
    }
}

/// Rules that let everything but KingfisherGTK and KingfisherRedis be built where the headers of
/// GTK and hiredis are not installed.
enum TraitRules {
    /// The folders whose sources are empty without a trait of the package.
    static let folders = [
        "GTK": ["Sources/KingfisherGTK", "Sources/CKFGTK", "Tests/KingfisherGTKTests"],
        "Redis": ["Sources/KingfisherRedis", "Sources/CKFRedisShim"],
    ]

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

    /// Public headers that include one of GTK's, or of the libraries below it.
    static func headersThatNeedGTK(in tree: SourceTree) -> [String] {
        let libraries = ["gtk", "gdk", "gsk", "glib", "gio", "pango", "cairo", "graphene"]
        return tree.paths.filter { path in
            guard path.contains("/include/"), let text = tree.files[path] else { return false }
            return text.split(separator: "\n").contains { line in
                line.hasPrefix("#include") && libraries.contains { line.contains($0) }
            }
        }
    }

    /// Lines of the package's manifest that require GTK's headers in every build.
    static func unconditionalNeeds(in manifest: String) -> [String] {
        let lines = manifest.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        var found = lines.filter { line in
            line.contains("\"CKFGTKHeaders\"") && !line.hasPrefix("system(\"CKFGTKHeaders\"")
                && !line.contains(".target(name: \"CKFGTKHeaders\", condition: withGTK)")
        }
        .map(String.init)
        let condition = "let withGTK: TargetDependencyCondition? = .when(traits: [\"GTK\"])"
        if !lines.contains(condition[...]) { found.append("withGTK is not the trait's condition") }
        found += lines.filter { $0.contains(".default(") && $0.contains("\"GTK\"") }
            .map(String.init)
        return found
    }

    /// Whether a target's name cannot be that of another package's target.
    static func isOwn(_ target: String) -> Bool {
        ["Kingfisher", "KF", "CKF"].contains { target.hasPrefix($0) }
    }
}

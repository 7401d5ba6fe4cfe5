import Testing

/// Scripts that build several packages in one folder make SwiftPM plan for the right one.
struct BuildPlanTests {
    @Test func `every build of a nested package plans for it first`() throws {
        let scripts = try SourceTree(reading: ["Scripts"], suffixes: [".sh"])
        #expect(scripts.files.values.contains { $0.contains("swift build --package-path") })
        #expect(Self.buildsWithoutPlan(in: scripts) == [])
    }

    @Test func `a build that would take another package's plan is found`() {
        let scripts = SourceTree([
            "Scripts/bad.sh": """
            plan_for Tools "$NESTED_BUILD"
            swift build --package-path Benchmarks --scratch-path "$NESTED_BUILD" -c release
            """,
            "Scripts/good.sh": """
            plan_for Benchmarks "$NESTED_BUILD"
            swift build --package-path Benchmarks --scratch-path "$NESTED_BUILD" -c release
            """,
        ])
        #expect(Self.buildsWithoutPlan(in: scripts) == ["Scripts/bad.sh: Benchmarks"])
    }

    /// Builds of a package in a folder for which the same script does not call `plan_for`.
    private static func buildsWithoutPlan(in scripts: SourceTree) -> [String] {
        scripts.paths.flatMap { path in
            let text = scripts.files[path] ?? ""
            return text.split(separator: "\n").compactMap { line -> String? in
                let words = line.split(separator: " ").map(String.init)
                guard line.contains("swift build --package-path"),
                    let package = word(after: "--package-path", in: words),
                    let folder = word(after: "--scratch-path", in: words),
                    !text.contains("plan_for \(package) \(folder)")
                else { return nil }
                return "\(path): \(package)"
            }
        }
    }

    private static func word(after option: String, in words: [String]) -> String? {
        guard let index = words.firstIndex(of: option) else { return nil }
        return words.dropFirst(index + 1).first
    }
}

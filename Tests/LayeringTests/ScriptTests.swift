import Foundation
import Testing

/// What scripts do with their arguments, without building anything.
struct ScriptTests {
    /// The output and the status of a script.
    private func run(
        _ script: String,
        _ arguments: String...,
        in folder: URL = SourceTree.repository
    ) throws -> (String, Int32) {
        try run(["bash", "Scripts/\(script)"] + arguments, in: folder)
    }

    private func run(_ words: [String], in folder: URL) throws -> (String, Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder
        let person = ["NAME": "release", "EMAIL": "release@localhost"]
        for (key, value) in person {
            process.environment = (process.environment ?? ProcessInfo.processInfo.environment)
                .merging(["GIT_AUTHOR_\(key)": value, "GIT_COMMITTER_\(key)": value]) { $1 }
        }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }

    @Test func `every package of examples is built by a script`() throws {
        let root = SourceTree.repository
        let examples = root.appendingPathComponent("Examples")
        let packages = try FileManager.default.contentsOfDirectory(atPath: examples.path).filter {
            let manifest = examples.appendingPathComponent("\($0)/Package.swift")
            return FileManager.default.fileExists(atPath: manifest.path)
        }
        #expect(packages.count > 1)
        let scripts = try ["test.sh", "check.sh"].map {
            let file = root.appendingPathComponent("Scripts/\($0)")
            return try String(contentsOf: file, encoding: .utf8)
        }
        for package in packages {
            let isBuilt = scripts.contains { script in
                ["build_package ", "package="].contains {
                    script.contains("\($0)Examples/\(package)")
                }
            }
            #expect(isBuilt, "\(package)")
        }
    }

    @Test func `each benchmark has a process of its own`() throws {
        let (plan, _) = try run("bench.sh", "--plan", "--rounds", "3", "thumbnail", "hits")
        #expect(plan == "--rounds 3 thumbnail\n--rounds 3 hits\n")
        let (numbers, _) = try run("bench.sh", "--plan", "tint", "convert", "5", "service", "20")
        #expect(numbers == "tint\nconvert 5\nservice 20\n")
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(
                atPath: SourceTree.repository.appendingPathComponent(".git").path
            )
        )
    )
    func `a release sets the version everywhere, closes the changelog and tags`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("release-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let clone = ["git", "clone", "-q", SourceTree.repository.path, folder.path]
        #expect(try run(clone, in: SourceTree.repository).1 == 0)
        let without = ["--no-tests", "--no-packages"]
        let (text, status) = try run("release.sh", "99.0.0", without[0], without[1], in: folder)
        #expect(status == 0, "\(text)")
        #expect(try run(["git", "describe", "--exact-match"], in: folder).0 == "99.0.0\n")
        let changelog = try String(
            contentsOf: folder.appendingPathComponent("CHANGELOG.md"),
            encoding: .utf8
        )
        #expect(changelog.contains("## Unreleased\n\n## 99.0.0\n"))
        #expect(try run("release.sh", "--check", in: folder) == ("", 0))
        // Nothing is unreleased any more, and the version is not newer.
        #expect(try run("release.sh", "98.0.0", without[0], without[1], in: folder).1 == 1)
        #expect(try run("release.sh", "99.0.1", without[0], without[1], in: folder).1 == 1)
    }

    @Test(arguments: [("test.sh", "lint"), ("check.sh", "fuzz")])
    func `a filter belongs to one step of the tests`(script: String, step: String) throws {
        let (text, status) = try run(script, step, "NoSuchStep")
        #expect(status == 1)
        #expect(text.contains("there is no step 'NoSuchStep'"))
    }

    @Test func `each step is in one script, has a title, and is listed in the guide`() throws {
        let guide = try text("CONTRIBUTING.md")
        let both = try text(".ci/run")
        let workflow = try text(".github/workflows/ci.yml").lines
        var seen: Set<String> = []
        for script in ["test.sh", "check.sh"] {
            #expect(both.contains("/\(script)"))
            let source = try text("Scripts/\(script)")
            let list = try #require(source.firstMatch(of: /\nall_steps=\(([a-z_\s]+)\)/)).1
            let steps = list.split(whereSeparator: \.isWhitespace).map(String.init)
            let table = guide.components(separatedBy: "\n| step of `Scripts/").dropFirst()
                .first { $0.hasPrefix(script) }
            let rows = try #require(table).components(separatedBy: "\n\n")[0]
                .matches(of: /\n\| `([a-z_]+)` \|/).map { String($0.1) }
            #expect(rows == steps)
            for step in steps {
                #expect(seen.insert(step).inserted)
                #expect(source.contains("\nstep_\(step)() {"))
                #expect(source.contains("\n    \(step)) echo \""))
                // Isolation has a part in three jobs.
                let words = step == "isolation" ? ["library", "tools", "server"] : [step]
                let name = step == "isolation" ? "isolation.sh" : script
                for word in words {
                    #expect(
                        workflow.contains {
                            $0.holds("Scripts/\(name) ")
                                && $0.split(separator: " ").contains(word[...])
                        },
                        "no job runs \(name) \(word)"
                    )
                }
            }
        }
    }

    @Test func `a toolchain that does not run is shown with its own message`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("toolchain-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let swift = folder.appendingPathComponent("swift")
        let program =
            "#!/bin/sh\necho 'swift: libncurses.so.6: cannot open shared object file' >&2\nexit 127\n"
        try Data(program.utf8).write(to: swift)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
        let path = "PATH=\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let (text, status) = try run(
            ["env", path, "bash", "Scripts/walls.sh"],
            in: SourceTree.repository
        )
        #expect(status == 1)
        #expect(text.contains("libncurses.so.6: cannot open shared object file"), "\(text)")
        #expect(text.contains("Scripts/bootstrap.sh"), "\(text)")
    }

    @Test(arguments: ["", "../trixie", "--help trixie"])
    func `another release has a plain name`(release: String) throws {
        let (text, status) = try run("on.sh", release)
        #expect(status == 1)
        #expect(text.contains("usage: Scripts/on.sh RELEASE"), "\(text)")
    }

    @Test func `a workflow that keeps build folders gives files the time of their last change`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("times-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = SourceTree.repository.appendingPathComponent(".github/restore-times.sh").path
        let commands = """
            set -e; export HOME=$PWD; git init -q .
            echo a >'a name'; git add .; GIT_COMMITTER_DATE='@1000 +0000' git commit -qm a
            echo b >b; git add .; GIT_COMMITTER_DATE='@2000 +0000' git commit -qm b
            sh '\(script)'; stat -c '%n %Y' 'a name' b
            """
        let (text, status) = try run(["bash", "-c", commands], in: folder)
        #expect(status == 0)
        #expect(text == "a name 1000\nb 2000\n")
    }

    @Test(arguments: ["", "GoneTests", "Gone/Folder"])
    func `a sanitizer leaves out what there is`(gone: String) throws {
        let commands =
            #". Scripts/lib.sh; leave_out "${NOT_IN_MEMORY[@]}" "${NOT_IN_MEMORY_FOLDERS[@]}" "#
        let (text, status) = try run(["bash", "-c", commands + gone], in: SourceTree.repository)
        #expect(status == (gone.isEmpty ? 0 : 1), "\(text)")
        #expect(text.contains("has no \(gone),") == !gone.isEmpty, "\(text)")
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: SourceTree.repository.appendingPathComponent(path), encoding: .utf8)
    }
}

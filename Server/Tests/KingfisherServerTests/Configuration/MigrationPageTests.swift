import Foundation
import Testing

@testable import KingfisherServer

/// The page for those who come from imgproxy is made of the tables of the program.
///
/// With RECORD=1 in the environment, the test writes it.
struct MigrationPageTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../IMGPROXY.md").standardized

    @Test("The page lists every variable as the program reads it")
    func page() throws {
        let text = Self.page
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let found = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(found == text, "Server/IMGPROXY.md is out of date; run this test with RECORD=1")
    }

    @Test("A variable is either supported or left out")
    func families() {
        let names = ImgproxyVariables.families.flatMap(\.names).map { "IMGPROXY_\($0)" }
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(ServiceConfiguration.entriesByName[name] == nil, "\(name)")
            #expect(ImgproxyVariables.reason(for: name) != nil)
        }
    }

    @Test("An option is either supported or left out, once")
    func options() {
        let names = URLOption.missing.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for name in names { #expect(URLOption.named(name) == nil, "\(name)") }
    }

    @Test("A former name is read like the present one, which comes first")
    func formerNames() throws {
        for (name, former) in ServiceConfiguration.formerNames {
            #expect(ServiceConfiguration.entriesByName[name] != nil)
            #expect(ServiceConfiguration.entriesByName[former] == nil)
            #expect(ServiceConfiguration.unsupportedNames(in: [former: "1"]).isEmpty)
        }
        let old = try ServiceConfiguration(environment: ["IMGPROXY_CONCURRENCY": "3"])
        #expect(old.operation.workers == 3)
        let both = ["IMGPROXY_CONCURRENCY": "3", "IMGPROXY_WORKERS": "4"]
        #expect(try ServiceConfiguration(environment: both).operation.workers == 4)
    }

    private static var page: String {
        let usual = ServiceConfiguration()
        // The number of cores decides.
        let computed = ["IMGPROXY_WORKERS": "2 × cores"]
        let lines = ServiceConfiguration.entries.map { entry in
            let value = computed[entry.name] ?? entry.text(usual)
            let former = ServiceConfiguration.formerNames[entry.name].map { ", also `\($0)`" } ?? ""
            return
                "| `\(entry.name)`\(former) | \(value.isEmpty ? "" : "`\(value)`") | `\(entry.expected)` |"
        }
        let options = URLOption.missing.map { missing in
            "| \(missing.names.map { "`\($0)`" }.joined(separator: ", ")) | \(missing.reason) |"
        }
        let families = ImgproxyVariables.families.map { family in
            let reason = family.reason.replacing(/[A-Z0-9]+(_[A-Z0-9]+)+/) { "`\($0.output.0)`" }
            return "| \(family.names.map { "`\($0)`" }.joined(separator: ", ")) | \(reason) |"
        }
        return """
            # Coming from imgproxy

            Point the variables and the clients of an imgproxy at `kf-serve`: signed URLs stay as they are. \
            `kf-serve --check` reads the variables, prints the effective ones, and names those that it does \
            not have, each with the reason below; so does the log at the start. This page is made of the \
            same tables. [README.md](README.md#what-differs-from-imgproxy) and \
            [OPERATION.md](OPERATION.md) say what differs where a name is the same.

            Check before the switch:

            - Addresses of private networks are refused: set `IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES=1` if \
            sources are there.
            - The largest source has 50 megapixels, `IMGPROXY_KEEP_COPYRIGHT` is off, and entity tags are on.
            - Put `/health` and `/metrics` on a port of their own with `KF_ADMIN_BIND`.
            - Results are kept in memory. Set `KF_CACHE_PATH` to keep them on disk, and `KF_REDIS_URL` to \
            share them among machines.

            ## Variables

            | name | default | values |
            |---|---|---|
            \(lines.joined(separator: "\n"))
            | `\(ServiceConfiguration.fileVariable)` |  | `the path of a file of NAME=value lines, as of --config` |

            ## Variables that are left out

            | names, each after `IMGPROXY_` | reason, or what to do |
            |---|---|
            \(families.joined(separator: "\n"))

            ## Options of URLs that are left out

            They are 404 and say so.

            | names | reason, or what to do |
            |---|---|
            \(options.joined(separator: "\n"))

            """
    }
}

import Foundation
import Testing

@testable import KingfisherServer

/// A segment and the options that it stands for.
struct OptionExample: Sendable, CustomTestStringConvertible {
    let segment: String
    let expected: ProcessingOptions

    init(_ segment: String, _ change: (inout ProcessingOptions) -> Void) {
        self.segment = segment
        var options = ProcessingOptions()
        change(&options)
        expected = options
    }

    var testDescription: String { segment }

    /// Whether it is refused in the URL of an image.
    var isForInformation: Bool {
        ["thumbhash", "blurhash"].contains { segment.hasPrefix($0) }
    }
}

struct OptionTableTests {
    private func options(_ segments: String) throws -> ProcessingOptions {
        var settings = GrammarSettings()
        settings.allowsSecurityOptions = true
        settings.sources.allowsLocalFiles = true
        // URLs of information take all options.
        let path = "/_/info/\(segments)/plain/http://a/b"
        return try ImageRequest.parse(path, with: settings, now: .distantPast).options
    }

    /// All names of the option of a segment, each with the segment's arguments.
    private func spellings(_ segment: String) -> [String] {
        guard let colon = segment.firstIndex(of: ":"),
            let option = URLOption.named(String(segment[..<colon]))
        else { return [segment] }
        return ([option.name] + option.shortNames).map { $0 + segment[colon...] }
    }

    @Test(arguments: OptionExamples.all)
    func `an option means the same under all its names`(_ example: OptionExample) throws {
        for segment in spellings(example.segment) {
            #expect(try options(segment) == example.expected, "\(segment)")
        }
    }

    @Test func `every option that changes results is part of the key`() throws {
        let plain = ProcessingOptions()
        // A density of 1 says what no density says.
        for example in OptionExamples.all
        where example.expected != plain && example.segment != "dpr:1" {
            let name = example.segment.prefix { $0 != ":" }
            guard URLOption.named(String(name))?.scope != .delivery else { continue }
            let key = try options(example.segment).canonicalKey
            #expect(key != plain.canonicalKey, "\(example.segment)")
        }
    }

    @Test func `every option of the table has an example`() {
        let names = OptionExamples.all.compactMap { example in
            example.segment.split(separator: ":").first.flatMap {
                URLOption.named(String($0))?.name
            }
        }
        #expect(Set(URLOption.all.map(\.name)) == Set(names))
    }

    @Test func `the page's table has every name of every option, and no other`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../README.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let table = try #require(
            text.firstMatch(of: /\| option \| short \| arguments \|\n.*\n((?:\|.*\n)+)/)
        ).output.1
        let listed = table.split(separator: "\n").flatMap { row in
            row.split(separator: "|").prefix(2).flatMap { $0.matches(of: /`([^`]+)`/) }
        }.map { String($0.output.1) }
        let names = URLOption.all.flatMap { [$0.name] + $0.shortNames }
        #expect(Set(listed) == Set(names + PresetDefinitions.optionNames))
    }

    @Test(arguments: URLOption.all.flatMap { [$0.name] + $0.shortNames })
    func `empty arguments change nothing`(_ name: String) throws {
        #expect(try options("\(name):") == ProcessingOptions())
    }

    @Test(arguments: URLOption.all.map(\.name))
    func `too many arguments are refused`(_ name: String) throws {
        let arguments = Array(repeating: "1", count: 40).joined(separator: ":")
        #expect(throws: ServiceError.self) { try options("\(name):\(arguments)") }
    }

    @Test func `a later option replaces the values that it names`() throws {
        let result = try options("rs:fill:300:400:1/rs::100/h:50/el:0")
        #expect(result.resizingType == .fill)
        #expect((result.width, result.height) == (100, 50))
        #expect(!result.enlarge)
        #expect(try options("bg:fff/bg:").background == nil)
        #expect(try options("wm:1/wm:0").watermark == nil)
        #expect(try options("q:5/q:0").quality == nil)
        #expect(try options("fq:webp:5:png:6/fq:webp:0").formatQuality == [.png: 6])
    }

    @Test(arguments: OptionExamples.malformed)
    func `a malformed value is refused with its reason`(_ segment: String) throws {
        for segment in spellings(segment) {
            let error = #expect(throws: ServiceError.self, "\(segment)") { try options(segment) }
            let name = String(segment.prefix { $0 != ":" })
            #expect(error?.status == 404)
            #expect(error?.message.contains(URLOption.named(name)?.name ?? name) == true)
            #expect((error?.message.utf8.count ?? 0) < 200)
        }
    }

    /// One numeric argument of each option that has one.
    @Test(arguments: [
        "w", "h", "mw", "mh", "z", "dpr", "g:ce", "g:fp:0.5", "c", "t", "pd", "rot", "rd", "bl",
        "sh",
        "pix", "br", "co", "sa", "a", "mc", "wm", "q", "fq:webp", "mb", "aq:dssim", "exp", "msr",
        "msfs", "maf", "mafr", "mrd", "rs:fit", "s", "bg:0:0",
    ])
    func `hostile numbers are refused`(_ start: String) {
        for number in [
            "nan", "-nan", "inf", "-inf", "infinity", "1e400", "-1e400", "0x10", "0x1p3", "1_000",
            "99999999999999999999999999", "-99999999999999999999999999", "9223372036854775807",
            "-9223372036854775808", "1e19", "--1", "1-", "+", "-", ".", "e", "1.2.3", "٣", "１",
            " 1",
            "1,5", String(repeating: "9", count: 400),
        ] {
            #expect(throws: ServiceError.self, "\(start):\(number)") {
                try options("\(start):\(PercentEncoding.encoded(number))")
            }
        }
    }

    @Test(arguments: URLOption.unsupported.sorted())
    func `an option of imgproxy that is missing says so`(_ name: String) {
        let error = #expect(throws: ServiceError.self) { try options("\(name):1") }
        #expect(
            error?.message.hasPrefix("The option \(name) is not supported by this service.") == true
        )
    }

    @Test func `an unknown option says so`() {
        let error = #expect(throws: ServiceError.self) { try options("Width:1") }
        #expect(error?.message == "The option 'Width' is unknown. Correct the URL.")
    }
}

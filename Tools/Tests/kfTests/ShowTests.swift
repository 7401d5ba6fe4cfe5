import Foundation
import Kingfisher
import Testing

/// `kf show`, `kf completions` and `kf man`.
@Suite(.timeLimit(.minutes(1)))
struct ShowTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png(width: 8, height: 4).write(to: folder.url.appending(path: "in.png"))
    }

    private func show(
        _ arguments: String...,
        environment: [String: String] = ["NO_COLOR": ""]
    ) async throws -> KFProgram.Outcome {
        try await KFProgram.run(
            ["show", "in.png"] + arguments,
            in: folder,
            environment: environment
        )
    }

    @Test func `characters have two rows of pixels a line`() async throws {
        let outcome = try await show("--protocol", "blocks")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            // Red, then blue.
            #expect(line.contains("8;2;204;26;26") && line.contains("8;2;26;51;230"), "\(line)")
        }
    }

    @Test func `a terminal of 256 colours gets the nearest of them`() async throws {
        let outcome = try await show(environment: ["NO_COLOR": "", "COLORTERM": ""])
        // Red is 204, 26, 26 and blue 26, 51, 230; the cube has 0, 95, 135, 175, 215 and 255.
        #expect(outcome.text.contains("8;5;160") && outcome.text.contains("8;5;26"))
        #expect(!outcome.text.contains("8;2;"))
    }

    @Test func `without colours letters stand for brightness`() async throws {
        let outcome = try await show(environment: ["NO_COLOR": "1"])
        #expect(!outcome.text.contains("8;2;") && !outcome.text.contains("8;5;"))
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(outcome.text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: [
        ("kitty", "\u{1B}_Ga=T,f=32,s="), ("iterm", "\u{1B}]1337;File=inline=1;"),
        ("sixel", "\u{1B}P"),
    ])
    func `terminals that draw get the image in their envelopes`(
        name: String,
        start: String
    ) async throws {
        let outcome = try await show("--protocol", name)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains(start), "\(outcome.text.prefix(60).debugDescription)")
    }

    @Test func `without libchafa nothing is drawn, and the error names it`() async throws {
        let libraries = folder.url.appending(path: "libraries")
        try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
        try Data().write(to: libraries.appending(path: "libchafa.so.0"))
        let outcome = try await show(environment: ["LD_LIBRARY_PATH": libraries.path])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("libchafa (package libchafa0)"), "\(outcome.errors)")
    }

    @Test func `with JSON the drawing is described instead of made`() async throws {
        let outcome = try await show("--protocol", "sixel", "--json", "-p", "resize:4x")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let fields = try GetTests.fields(outcome)
        #expect(fields["protocol"] as? String == "sixel")
        #expect(fields["width"] as? Int == 4 && fields["height"] as? Int == 2)
        #expect(!outcome.text.contains("\u{1B}"))
    }

    @Test func `an image is never wider than asked`() async throws {
        let outcome = try await show("--width", "4", environment: ["NO_COLOR": "1"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let plain = outcome.text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(plain.split(separator: "\n").allSatisfy { $0.count == 4 }, "\(plain)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions name every command`(shell: String) async throws {
        let outcome = try await KFProgram.run(["completions", shell], in: folder)
        #expect(outcome.status == 0)
        for command in ["get", "convert", "show", "diff", "compare", "prefetch", "trace"] {
            #expect(outcome.text.contains(command))
        }
    }

    @Test func `there is a manual page for every command`() async throws {
        let outcome = try await KFProgram.run(["man", "-o", "man"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path("man"))
        #expect(Set(pages).isSuperset(of: ["kf.1", "kf-convert.1", "kf-cache-list.1"]))
        let page = String(decoding: try folder.data("man/kf-convert.1"), as: UTF8.self)
        #expect(page.hasPrefix(".TH \"KF-CONVERT\" 1"))
        #expect(page.contains("\\-\\-skip\\-existing"))
        #expect(page.contains("kf convert photos"))
    }
}

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

    @Test func `half blocks have two rows of pixels a line`() async throws {
        let outcome = try await show("--protocol", "blocks")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            #expect(line.count { $0 == "▀" } == 8)
            // Red, then blue: one change of colour, and the end.
            #expect(line.components(separatedBy: "\u{1B}[").count == 4)
            #expect(line.hasPrefix("\u{1B}[38;2;204;"))
            #expect(line.hasSuffix("\u{1B}[0m"))
        }
    }

    @Test func `a terminal of 256 colours gets the nearest of them`() async throws {
        let outcome = try await show(environment: ["NO_COLOR": "", "COLORTERM": ""])
        // Red is 204, 26, 26 and blue 26, 51, 230; the cube has 0, 95, 135, 175, 215 and 255.
        #expect(outcome.text.hasPrefix("\u{1B}[38;5;160;48;5;160m▀"), "\(outcome.text)")
        #expect(outcome.text.contains("\u{1B}[38;5;26;48;5;26m▀"))
        let grey = try TestPictures.solid(100, width: 4, height: 4)
        try grey.write(to: folder.url.appending(path: "in.png"))
        let ramp = try await show(environment: ["NO_COLOR": "", "COLORTERM": ""])
        // 98 of the ramp is nearer than 95 of the cube.
        #expect(ramp.text.hasPrefix("\u{1B}[38;5;241;48;5;241m▀"), "\(ramp.text)")
    }

    @Test func `without colours characters stand for brightness`() async throws {
        let outcome = try await show(environment: ["NO_COLOR": "1"])
        #expect(!outcome.text.contains("\u{1B}"))
        #expect(outcome.text.split(separator: "\n").map(\.count) == [8, 8])
    }

    @Test func `kitty and iTerm get the image in their envelopes`() async throws {
        let kitty = try await show("--protocol", "kitty").text
        #expect(kitty.hasPrefix("\u{1B}_Ga=T,f=100,m=0;") && kitty.hasSuffix("\u{1B}\\\n"))
        let payload = kitty.dropFirst("\u{1B}_Ga=T,f=100,m=0;".count).dropLast(3)
        let png = try #require(Data(base64Encoded: String(payload)))
        #expect(KFCrossPlatformImage(data: png)?.pixelWidth == 8)
        let iterm = try await show("--protocol", "iterm").text
        #expect(iterm.hasPrefix("\u{1B}]1337;File=inline=1;size="))
    }

    @Test func `sixels name the size and draw each band`() async throws {
        let text = try await show("--protocol", "sixel").text
        #expect(text.hasPrefix("\u{1B}Pq\"1;1;8;4#0;2;0;0;0"))
        #expect(text.hasSuffix("-\u{1B}\\\n"))
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
        let text = try await show("--protocol", "blocks", "--width", "4").text
        #expect(text.split(separator: "\n").allSatisfy { $0.count { $0 == "▀" } == 4 })
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

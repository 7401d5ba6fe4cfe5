import Foundation
import KingfisherTesting
import Testing

/// Users, passwords, tokens and signatures of URLs, in all that the commands print and record.
@Suite(.timeLimit(.minutes(2)))
struct SecretTests {
    /// A cause of a failed load; each is planted with secrets.
    enum Fault: String, CaseIterable {
        case notFound, unauthorised, noImage, empty, brokenOff, enormous, redirectedAway,
            redirectedToNothing, redirectedToFile, redirectedForever, refused

        func answer(to path: String, at port: UInt16) throws -> LoopbackServer.Answer? {
            switch self {
            case .notFound, .refused: return nil
            case .unauthorised: return .init(status: 401, body: Data(path.utf8))
            case .noImage: return .init(body: Data("<html>\(path)</html>".utf8))
            case .empty: return .init()
            case .brokenOff:
                var answer = LoopbackServer.Answer(body: try TestPictures.photo())
                answer.breaksOff = true
                return answer
            case .enormous: return .init(contentType: "image/png", body: TestPictures.enormousPNG())
            case .redirectedAway:
                guard !path.hasPrefix("/gone") else { return nil }
                return Self.redirect(to: "http://anna:c0ffee@127.0.0.1:\(port)/gone?sig=c0ffee")
            case .redirectedToNothing:
                // Port 1 has no server.
                return Self.redirect(to: "http://127.0.0.1:1/gone.jpg?sig=c0ffee")
            case .redirectedToFile: return Self.redirect(to: "file:///c0ffee?sig=c0ffee")
            case .redirectedForever: return Self.redirect(to: "/loop?sig=c0ffee")
            }
        }

        private static func redirect(to target: String) -> LoopbackServer.Answer {
            var answer = LoopbackServer.Answer(status: 302)
            answer.headers["Location"] = target
            return answer
        }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// What a run printed, and the files that it wrote beside its cache.
    private func texts(_ command: [String], _ input: String = "") async throws -> String {
        let outcome = try await KFProgram.run(command, in: folder, input: Data(input.utf8))
        #expect(outcome.status != 0, "\(command): \(outcome.text)")
        let pages = try folder.files().filter { $0.hasPrefix("t.") }
            .map { String(decoding: try folder.data($0), as: UTF8.self) }
        return ([outcome.text, outcome.errors] + pages).joined(separator: "\n")
    }

    @Test(arguments: Fault.allCases)
    func `no failure shows the secrets of a URL or of a redirect`(fault: Fault) async throws {
        let server = try LoopbackServer { path, headers in
            let port = headers["host"]?.split(separator: ":").last.flatMap { UInt16($0) }
            return try? fault.answer(to: path, at: port ?? 1)
        }
        defer { server.stop() }
        if fault == .refused { server.stop() }
        let path = "127.0.0.1:\(server.port)/photo.jpg?token=c0ffee&sig=c0ffee#c0ffee"
        let url = "http://anna:c0ffee@\(path)"
        let commands = [
            ["get", url], ["get", url, url + "2"], ["prefetch", url], ["placeholder", url],
            ["show", url], ["trace", url, "-o", "t.json"],
            ["trace", url, "--html", "-o", "t.html"], ["srcset", url, "-o", "web"],
            ["icon", url, "-o", "i.ico"], ["diff", url, url], ["compare", url],
        ]
        // This one loads nothing.
        let tested = Set(commands.map { $0[0] }).union(["explain"])
        #expect(try await Set(CommandHelp.having("header")) == tested)
        for command in commands {
            for option in ["--json", "--verbose"] {
                let text = try await texts(command + ["--timeout", "20", option])
                #expect(!text.contains("c0ffee"), "\(command) \(option): \(text)")
                #expect(text.contains("photo.jpg"), "\(command) \(option): \(text)")
            }
        }
    }

    @Test func `no wrong use shows the secrets of a URL or of a header`() async throws {
        let url = "http://anna:c0ffee@127.0.0.1:1/photo.jpg?token=c0ffee"
        let commands = [
            ["get", url, "--only-from-cache", "--cache", "cache"],
            ["get", "http://anna:c0ffee@/photo.jpg?token=c0ffee"],
            ["get", "http://anna:c0 ffee, c0ffee@"],
            ["get", "ftp://anna:c0ffee@host.test/photo.jpg?token=c0ffee"],
            ["get", "ftp://anna:c0 c0ffee@host.test/photo.jpg?token=c0ffee"],
            ["get", url, "--header", "Authorization Bearer c0ffee"],
            ["get", url, "--header=X Key: c0ffee"],
            ["get", url, url, "-o", "one.jpg"],
            ["get", url, "--no-such-option=c0ffee"],
            ["info", url, url], ["optimize", url], ["diff", url, url], ["convert", url, "-o", "d"],
            ["explain", url, "--only-from-cache", "--no-cache"],
            ["prefetch", "ftp://anna:c0ffee@host.test/?token=c0ffee"],
            ["prefetch", url, "--no-cache"],
            [url],
        ]
        for command in commands {
            let text = try await texts(command)
            #expect(!text.contains("c0ffee"), "\(command): \(text)")
            #expect(!text.isEmpty)
        }
        // The letters of a short one are in every sentence.
        let short = try await texts(["get", url, "--header", "e"])
        #expect(short.contains("The value '…' is invalid for '--header <header>'"), "\(short)")
        let list = "ftp://anna:c0 c0ffee@host.test/?token=c0ffee\n\(url)\n"
        let text = try await texts(["prefetch", "--from-file", "-", "--json"], list)
        #expect(!text.contains("c0ffee"), "\(text)")
    }

    @Test func `results show keys, and no user and password`() async throws {
        let image = try TestPictures.jpeg()
        let server = try LoopbackServer { _, _ in .init(body: image) }
        defer { server.stop() }
        let place = "127.0.0.1:\(server.port)/photo.jpg?size=2"
        // The blank would end the URL in a sentence.
        for user in ["anna:c0ffee", "c0ffee", "anna:c0 c0ffee"] {
            for command in ["get", "explain", "prefetch", "placeholder"] {
                for option in ["--json", "--verbose"] {
                    let outcome = try await KFProgram.run(
                        [command, "http://\(user)@\(place)", option, "--cache", "cache"],
                        in: folder
                    )
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(!outcome.text.contains("c0ffee"), "\(command): \(outcome.text)")
                    #expect(!outcome.errors.contains("c0ffee"), "\(command): \(outcome.errors)")
                }
            }
        }
        let outcome = try await KFProgram.run(["get", "http://\(place)", "--json"], in: folder)
        #expect(try GetTests.fields(outcome)["source"] as? String == "http://\(place)")
    }
}

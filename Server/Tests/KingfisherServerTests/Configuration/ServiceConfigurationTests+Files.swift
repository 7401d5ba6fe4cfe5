import Foundation
import Testing

@testable import KingfisherServer

/// Files that settings, presets and secrets are read from.
extension ServiceConfigurationTests {
    @Test("Secrets may be files of a folder, of which other files are left alone")
    func secretFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in [
            ("IMGPROXY_KEY", "aa\n"), ("kf-serve_IMGPROXY_SALT", "bb"), ("IMGPROXY_TTL", "5"),
            ("other", "x"),
        ] {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let values = try ServiceConfiguration.secrets(inFolder: folder.path)
        #expect(values == ["IMGPROXY_KEY": "aa", "IMGPROXY_SALT": "bb"])
        #expect(try ServiceConfiguration(environment: values).urls.keys == [[0xAA]])
        #expect(try ServiceConfiguration.secrets(inFolder: "/no/such/folder").isEmpty)
    }

    @Test("Files of settings, presets and secrets may have the line ends of other systems")
    func lineEnds() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = folder.appending(path: "settings")
        let text = "\u{FEFF}IMGPROXY_TTL=5\r\n# comment\r\n\r\nIMGPROXY_QUALITY=\"70\"\r\n"
        try Data(text.utf8).write(to: settings)
        let values = try ServiceConfiguration.environment(ofFile: settings.path)
        #expect(values == ["IMGPROXY_TTL": "5", "IMGPROXY_QUALITY": "70"])
        let presets = folder.appending(path: "presets")
        try Data("\u{FEFF}small=w:10\r\n# comment\r\nlarge=w:20/q:30\r\n".utf8).write(to: presets)
        let environment = ["IMGPROXY_PRESETS_PATH": presets.path]
        let grammar = try ServiceConfiguration(environment: environment).grammar()
        #expect(grammar.presets.keys.sorted() == ["large", "small"])
        #expect(grammar.presets["large"]?.last?.arguments == ["30"])
        try Data("aa\r\n".utf8).write(to: folder.appending(path: "IMGPROXY_KEY"))
        let secrets = try ServiceConfiguration.secrets(inFolder: folder.path)
        #expect(secrets == ["IMGPROXY_KEY": "aa"])
    }

    @Test("A file has a name and a value on each line, and comments")
    func file() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let text = "# comment\n\nIMGPROXY_BIND = :1\nIMGPROXY_SECRET=\"a=b\"\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let values = try ServiceConfiguration.environment(ofFile: path)
        #expect(values == ["IMGPROXY_BIND": ":1", "IMGPROXY_SECRET": "a=b"])
        for line in ["IMGPROXY_BIND", "export IMGPROXY_BIND=:1"] {
            try line.write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: ConfigurationError.self) {
                try ServiceConfiguration.environment(ofFile: path)
            }
            #expect(error?.name == "\(path), line 1")
        }
    }
}

import Foundation
@_spi(Server) import Kingfisher

extension ServiceConfiguration {
    /// Reads a configuration.
    ///
    /// An empty value is the same as none.
    ///
    /// - Parameter environment: Values by name, such as those of the process's environment.
    /// - Throws: ``ConfigurationError`` for the first malformed value, and for an unknown variable
    ///   that restricts something.
    public init(environment: [String: String]) throws(ConfigurationError) {
        self.init()
        for entry in Self.entries {
            let names = [entry.name, Self.formerNames[entry.name]].compactMap(\.self)
            let texts = names.lazy.compactMap { environment[$0] }
            guard let text = texts.first(where: { !$0.isEmpty }) else { continue }
            guard entry.set(text, &self) else {
                throw ConfigurationError(
                    name: entry.name,
                    expected: entry.expected,
                    found: entry.isSecret ? nil : text
                )
            }
        }
        try refuseIgnoredLimits(environment)
        try check()
    }

    /// Refuses variables that restrict something, and that the service would ignore.
    private func refuseIgnoredLimits(
        _ environment: [String: String]
    ) throws(ConfigurationError) {
        let ignored = Self.unsupportedNames(in: environment).first { name in
            environment[name]?.isEmpty == false && ImgproxyVariables.restricts(name)
        }
        guard let ignored else { return }
        let reason = ImgproxyVariables.reason(for: ignored).map { ": \($0)" } ?? ""
        throw ConfigurationError(
            name: ignored,
            expected:
                "no such variable, because the service would not restrict anything by it\(reason)",
            found: nil
        )
    }

    /// Other names of variables: those of former releases of imgproxy, and of settings that have a
    /// name of ours.
    static let formerNames = [
        "IMGPROXY_WORKERS": "IMGPROXY_CONCURRENCY",
        "IMGPROXY_MAX_ANIMATION_FRAMES": "IMGPROXY_MAX_GIF_FRAMES",
        "IMGPROXY_READ_REQUEST_TIMEOUT": "IMGPROXY_READ_TIMEOUT",
        "IMGPROXY_WRITE_RESPONSE_TIMEOUT": "IMGPROXY_WRITE_TIMEOUT",
        "OTEL_SERVICE_NAME": "IMGPROXY_OPEN_TELEMETRY_SERVICE_NAME",
        "IMGPROXY_AUTO_WEBP": "IMGPROXY_ENABLE_WEBP_DETECTION",
        "IMGPROXY_AUTO_AVIF": "IMGPROXY_ENABLE_AVIF_DETECTION",
        "KF_VIDEO": "IMGPROXY_ENABLE_VIDEO_THUMBNAILS",
    ]

    /// The variable that names the file of ``environment(ofFile:)``.
    public static let fileVariable = "IMGPROXY_ENV_LOCAL_FILE_PATH"

    /// The names in an environment that look like the service's but are none of them, and all
    /// names in a file that are none of them.
    public static func unsupportedNames(
        in environment: [String: String],
        file: [String: String] = [:]
    ) -> [String] {
        let own = environment.keys.filter { $0.hasPrefix("IMGPROXY_") || $0.hasPrefix("KF_") }
        let former = Set(formerNames.values).union([fileVariable])
        return Set(own).union(file.keys)
            .filter { entriesByName[$0] == nil && !former.contains($0) }.sorted()
    }

    /// Reads a file of `NAME=value` lines; lines that begin with `#` are comments.
    ///
    /// A value may stand in quotation marks.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The values by name.
    /// - Throws: ``ConfigurationError`` if the file cannot be read or a line is malformed.
    public static func environment(
        ofFile path: String
    ) throws(ConfigurationError) -> [String: String] {
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(data: data, encoding: .utf8)
        else {
            throw ConfigurationError(name: path, expected: "a readable text file", found: nil)
        }
        var values: [String: String] = [:]
        for (index, line) in text.textLines.enumerated() {
            let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty,
                !sides[0].trimmed.contains(where: \.isWhitespace)
            else {
                throw ConfigurationError(
                    name: "\(path), line \(index + 1)",
                    expected: "NAME=value",
                    found: nil
                )
            }
            values[sides[0].trimmed] = unquoted(sides[1].trimmed)
        }
        return values
    }

    /// Reads secrets from a folder of files, as systemd's `LoadCredential` provides them.
    ///
    /// A file has the name of a secret variable, which the id of a loaded folder may precede:
    /// `IMGPROXY_KEY` or `kf-serve_IMGPROXY_KEY`. Other files are left alone, and so are line ends at
    /// the end of a value.
    ///
    /// - Parameter path: The path of the folder.
    /// - Returns: The values by name.
    /// - Throws: ``ConfigurationError`` if a file with such a name cannot be read.
    public static func secrets(
        inFolder path: String
    ) throws(ConfigurationError) -> [String: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var values: [String: String] = [:]
        for name in names.sorted() {
            let variable = name.hasPrefix("kf-serve_") ? String(name.dropFirst(9)) : name
            guard entriesByName[variable]?.isSecret == true else { continue }
            guard let data = FileManager.default.contents(atPath: "\(path)/\(name)"),
                let text = String(data: data, encoding: .utf8)
            else {
                throw ConfigurationError(
                    name: "\(path)/\(name)",
                    expected: "a readable text file",
                    found: nil
                )
            }
            values[variable] = text.trimmingCharacters(in: .newlines)
        }
        return values
    }

    /// The effective configuration as `NAME=value` lines, without secrets and the queries of URLs.
    public var summary: String {
        Self.entries.map { entry in
            let text = entry.text(self).disclosing(.path)
            return "\(entry.name)=\(entry.isSecret && !text.isEmpty ? "(hidden)" : text)"
        }.joined(separator: "\n")
    }

    private static func unquoted(_ text: String) -> String {
        for mark in ["\"", "'"]
        where text.count >= 2 && text.hasPrefix(mark) && text.hasSuffix(mark) {
            return String(text.dropFirst().dropLast())
        }
        return text
    }

    /// Checks the values that depend on each other, and on the build.
    private func check() throws(ConfigurationError) {
        guard urls.keys.count == urls.salts.count else {
            throw ConfigurationError(
                name: "IMGPROXY_SALT",
                expected: "as many salts as IMGPROXY_KEY has keys (\(urls.keys.count))",
                found: "\(urls.salts.count)"
            )
        }
        let wanted = negotiationSettings.wanted.filter { !$0.isWritable }
        guard wanted.isEmpty else {
            throw ConfigurationError(
                name: "IMGPROXY_PREFERRED_FORMATS, AUTO_… or ENFORCE_…",
                expected: "formats that this build writes",
                found: wanted.map(\.rawValue).sorted().joined(separator: ",")
            )
        }
        guard !stores.usesS3 || (stores.s3AccessKey == nil) == (stores.s3SecretKey == nil) else {
            throw ConfigurationError(
                name: "AWS_SECRET_ACCESS_KEY",
                expected: "both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither",
                found: "one"
            )
        }
    }
}

/// A malformed value of a configuration.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the variable, or the place in a file.
    public var name: String
    /// The accepted values.
    public var expected: String
    /// The text that was found; nil if it is secret or there is none.
    public var found: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - name: The name of the variable, or the place in a file.
    ///   - expected: The accepted values.
    ///   - found: The text that was found; nil if it is secret or there is none.
    public init(name: String, expected: String, found: String?) {
        self.name = name
        self.expected = expected
        self.found = found
    }

    /// The error as one sentence without a full stop.
    public var description: String {
        let shown = found.map { text in
            text.utf8.count > 200 ? "\(text.prefix(200))…" : text
        }
        let text = "\(name): expected \(expected)" + (shown.map { ", found “\($0)”" } ?? "")
        return text.disclosing(.path)
    }
}

import Foundation
import Logging
import Testing

@testable import KingfisherServer

struct ServiceConfigurationTests {
    @Test("Without variables, the defaults hold")
    func defaults() throws {
        let configuration = try ServiceConfiguration(environment: [:])
        #expect(configuration.connections.address == .host("0.0.0.0", port: 8080))
        #expect(configuration.connections.timeout == .seconds(10))
        #expect(configuration.responses.timeToLive == 31_536_000)
        #expect(configuration.operation.isolates)
        #expect(!configuration.sources.allowsPrivate)
    }

    @Test("Every variable that is printed can be read again, and gives the same")
    func roundTrip() throws {
        let one = try ServiceConfiguration(environment: [
            "IMGPROXY_BIND": "[::1]:9000", "IMGPROXY_TIMEOUT": "2.5",
            "IMGPROXY_FORMAT_QUALITY": "webp=70, avif=50",
            "IMGPROXY_ALLOWED_SOURCES": "https://a.example/,https://b.example/",
            "IMGPROXY_CUSTOM_RESPONSE_HEADERS": #"X-One=1\;X-Two=2, 3"#,
            "IMGPROXY_LOG_LEVEL": "warn", "KF_MEMORY_CACHE_SIZE": "64M",
            "IMGPROXY_MAX_SRC_FILE_SIZE": "5M", "KF_ISOLATE": "0",
        ])
        let values = one.summary.split(separator: "\n").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init
            )
        }
        let again = try ServiceConfiguration(
            environment: Dictionary(uniqueKeysWithValues: values.map { ($0[0], $0[1]) })
        )
        #expect(again.summary == one.summary)
        #expect(again.connections.address == .host("::1", port: 9000))
        #expect(again.caches.memorySize == 64 << 20)
        #expect(again.responses.customFields.count == 2)
    }

    @Test(
        "A malformed value is refused with its name and what is expected",
        arguments: [
            ("IMGPROXY_BIND", "8080"), ("IMGPROXY_BIND", "host:70000"),
            ("IMGPROXY_TIMEOUT", "0"), ("IMGPROXY_TIMEOUT", "ten"), ("IMGPROXY_TIMEOUT", "nan"),
            ("IMGPROXY_TIMEOUT", "1e-300"), ("KF_CACHE_LIFETIME", "0.001"),
            ("IMGPROXY_QUALITY", "101"), ("IMGPROXY_USE_ETAG", "yes"),
            ("IMGPROXY_WORKERS", "0"), ("IMGPROXY_FORMAT_QUALITY", "webp"),
            ("IMGPROXY_PREFERRED_FORMATS", "jpg,psd"), ("IMGPROXY_PATH_PREFIX", "images"),
            ("IMGPROXY_CUSTOM_RESPONSE_HEADERS", "X-A=1\r\nX-B: 2"),
            ("IMGPROXY_CUSTOM_RESPONSE_HEADERS", "X A=1"),
            ("IMGPROXY_CUSTOM_RESPONSE_HEADERS", "Content-length=5"),
            ("IMGPROXY_RESPONSE_HEADERS_PASSTHROUGH", "X-A,Content-Encoding"),
            ("IMGPROXY_RESPONSE_HEADERS_PASSTHROUGH", "Set-Cookie"),
            ("IMGPROXY_REQUEST_HEADERS_PASSTHROUGH", "host"),
            ("IMGPROXY_BIND", "unix:/" + String(repeating: "a", count: 107)),
            ("IMGPROXY_ALLOW_ORIGIN", "*\r\nX-Evil: 1"), ("IMGPROXY_WATERMARK_DATA", "%"),
            ("KF_CACHE_SIZE", "9999999999999G"), ("IMGPROXY_LOG_FORMAT", "xml"),
            ("IMGPROXY_AVIF_SPEED", "11"), ("IMGPROXY_WEBP_EFFORT", "-1"),
            ("IMGPROXY_PNG_QUANTIZATION_COLORS", "1"), ("IMGPROXY_STRIP_METADATA", "all"),
            ("IMGPROXY_KEEP_COPYRIGHT", "yes"), ("IMGPROXY_STRIP_COLOR_PROFILE", "keep"),
            ("IMGPROXY_PROMETHEUS_NAMESPACE", "9a"), ("IMGPROXY_FALLBACK_IMAGE_HTTP_CODE", "304"),
            ("IMGPROXY_PROMETHEUS_NAMESPACE", "aê"), ("IMGPROXY_PROMETHEUS_NAMESPACE", "a²"),
            ("IMGPROXY_BIND", "127.0.0.1:80:90"), ("IMGPROXY_BIND", "::1:80"),
            ("IMGPROXY_ALLOWED_SOURCES", ","), ("IMGPROXY_S3_ALLOWED_BUCKETS", " , "),
            ("IMGPROXY_ALLOWED_PROCESSING_OPTIONS", " "),
        ]
    )
    func malformed(name: String, value: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(environment: [name: value])
        }
        #expect(error?.name == name)
        #expect(error?.found == value)
        #expect(error?.expected.isEmpty == false)
    }

    @Test(
        "A value that cannot be used is found before the start",
        arguments: [
            ("IMGPROXY_PRESETS", "a=preset:a"), ("IMGPROXY_ALLOWED_SOURCES", "*"),
            ("IMGPROXY_BASE_URL", "ftp://a/"), ("IMGPROXY_BASE_URL", "%%%"),
            ("IMGPROXY_BASE_URL", "http://a b/"),
            ("IMGPROXY_WATERMARK_DATA", "AAAA"), ("IMGPROXY_WATERMARK_PATH", "/dev/null"),
            ("IMGPROXY_FALLBACK_IMAGE_DATA", "AAAA"), ("IMGPROXY_FALLBACK_IMAGE_PATH", "/nope"),
        ]
    )
    func unusable(name: String, value: String) throws {
        let configuration = try ServiceConfiguration(environment: [name: value])
        let error = #expect(throws: ConfigurationError.self) { try configuration.validate() }
        #expect(error?.name == name)
    }

    @Test(
        "What would keep the service from starting is found before the start",
        arguments: [
            (["IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/no/such"], "IMGPROXY_LOCAL_FILESYSTEM_ROOT"),
            (["IMGPROXY_USE_GCS": "1", "IMGPROXY_GCS_KEY": "{}"], "IMGPROXY_GCS_KEY"),
            (
                ["IMGPROXY_USE_GCS": "1", "GOOGLE_APPLICATION_CREDENTIALS": "/no"],
                "GOOGLE_APPLICATION_CREDENTIALS"
            ),
            (["IMGPROXY_SENTRY_DSN": "https://host/7"], "IMGPROXY_SENTRY_DSN"),
            (["IMGPROXY_USE_ABS": "1"], "IMGPROXY_ABS_NAME"),
            (
                [
                    "IMGPROXY_USE_ABS": "1", "IMGPROXY_ABS_NAME": "a", "IMGPROXY_ABS_KEY": "?",
                ],
                "IMGPROXY_ABS_KEY"
            ),
            (["IMGPROXY_USE_SWIFT": "1"], "IMGPROXY_SWIFT_AUTH_URL"),
            (["KF_CACHE_PATH": "/dev/null/cache"], "KF_CACHE_PATH"),
            (["KF_CACHE_PATH": #filePath], "KF_CACHE_PATH"),
            (["KF_REDIS_URL": "redis://127.0.0.1"], "KF_CACHE_PATH"),
        ]
    )
    func cannotStart(environment: [String: String], name: String) throws {
        let configuration = try ServiceConfiguration(environment: environment)
        let error = #expect(throws: ConfigurationError.self) { try configuration.validate() }
        #expect(error?.name == name)
    }

    @Test("A folder of results that does not exist yet is fine, and is not created by the check")
    func newFolder() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString)/results").path
        try ServiceConfiguration(environment: ["KF_CACHE_PATH": folder]).validate()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("The root of local sources is a folder")
    func localRoot() {
        #expect(LocalSources(root: #filePath, maximalSize: 1) == nil)
        #expect(LocalSources(root: "/", maximalSize: 1) != nil)
    }

    @Test("Neither errors nor the summary show a secret")
    func secrets() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(environment: ["IMGPROXY_KEY": "5ec12e7"])
        }
        #expect(error.map { "\($0)".contains("5ec12e7") } == false)
        let names = [
            "IMGPROXY_SECRET", "KF_ADMIN_TOKEN", "IMGPROXY_TRUSTED_SIGNATURES", "KF_REDIS_URL",
            "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID",
        ]
        var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "c0ffee") })
        environment["IMGPROXY_KEY"] = "c0ffee"
        environment["IMGPROXY_SALT"] = "c0ffee"
        let summary = try ServiceConfiguration(environment: environment).summary
        #expect(!summary.contains("c0ffee"))
        #expect(summary.contains("IMGPROXY_SECRET=(hidden)"))
        let addresses = try ServiceConfiguration(environment: [
            "IMGPROXY_WATERMARK_URL": "https://c0ffee:c0ffee@a.example/mark.png?sig=c0ffee",
            "IMGPROXY_BASE_URL": "https://a.example/?url=c0ffee",
        ])
        #expect(!addresses.summary.contains("c0ffee"))
        #expect(addresses.summary.contains("IMGPROXY_WATERMARK_URL=https://a.example/mark.png?…"))
        let address = "redis//c0ffee:c0ffee@a.example https://c0ffee@b.example/?c0ffee"
        let found = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(environment: ["IMGPROXY_FALLBACK_IMAGE_URL": "a \(address)"])
        }
        #expect(found.map { "\($0)".contains("?c0ffee") } == false)
    }

    @Test(
        "Keys and salts are hexadecimal and pair up",
        arguments: [
            ("aa,bb", "cc", "SALT"), ("736563", "", "SALT"), ("", "736563", "SALT"),
            ("xyz!", "aa", "KEY"), ("abc", "aa", "KEY"), ("aa", "a,b", "SALT"),
            ("aa,", "aa,bb", "KEY"), (",", ",", "KEY"),
        ]
    )
    func pairs(key: String, salt: String, name: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(environment: ["IMGPROXY_KEY": key, "IMGPROXY_SALT": salt])
        }
        #expect(error?.name == "IMGPROXY_\(name)")
        #expect(error.map { "\($0)".contains("xyz") } == false)
    }

    @Test(
        "Formats that the build does not write cannot be preferred",
        arguments: ["IMGPROXY_AUTO_JXL", "IMGPROXY_ENFORCE_JXL", "IMGPROXY_PREFERRED_FORMATS"]
    )
    func unwritable(name: String) {
        let value = name.hasSuffix("JXL") ? "1" : "jpg,jxl"
        var found: String?
        do throws(ConfigurationError) {
            _ = try ServiceConfiguration(environment: [name: value])
        } catch {
            found = error.found
        }
        #expect(found == (OutputFormat.jxl.isWritable ? nil : "jxl"))
    }

    @Test(
        "A change of the results changes their keys",
        arguments: [
            "IMGPROXY_QUALITY": "50", "IMGPROXY_AVIF_SPEED": "3",
            "IMGPROXY_PREFERRED_FORMATS": "webp", "IMGPROXY_WATERMARK_OPACITY": "0.5",
            "IMGPROXY_WATERMARK_PATH": #filePath, "KF_PREFER_SPEED": "1",
            "KF_PDF": "1", "KF_VIDEO": "1", "KF_ACCEPT_TRUNCATED": "1",
            "IMGPROXY_ALWAYS_RASTERIZE_SVG": "0",
        ].map { $0 }
    )
    func variants(name: String, value: String) throws {
        let usual = try ServiceConfiguration(environment: ["IMGPROXY_TTL": "5"])
        #expect(usual.negotiationSettings.variant.isEmpty)
        let changed = try ServiceConfiguration(environment: [name: value]).negotiationSettings
        let request = try ImageRequest.parse("/_/w:1/plain/http://a/b", with: GrammarSettings())
        let keys = try [usual.negotiationSettings, changed].map {
            try Negotiation.negotiate(request, headers: NegotiationHeaders(), settings: $0)
                .canonicalKey
        }
        #expect(keys[0] != keys[1])
    }

    @Test("A watermark with the same path and other bytes changes the keys")
    func watermarks() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let variants = try ["a", "b", "a"].map { text in
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return try ServiceConfiguration(environment: ["IMGPROXY_WATERMARK_PATH": path])
                .negotiationSettings.variant
        }
        #expect(variants[0] == variants[2])
        #expect(variants[0] != variants[1])
    }

    @Test("Results may be kept for longer than a day")
    func lifetime() throws {
        let environment = ["KF_CACHE_LIFETIME": "2592000"]
        let configuration = try ServiceConfiguration(environment: environment)
        #expect(configuration.caches.lifetime == .seconds(2_592_000))
    }

    @Test("Every variable of imgproxy's documentation is read, or has a reason why it is not")
    func variablesOfImgproxy() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fixtures/imgproxy-variables.txt")
        let names = try String(contentsOf: file, encoding: .utf8).textLines.map(String.init)
            .filter { !$0.isEmpty }
        #expect(names.count > 290)
        let unknown = ServiceConfiguration.unsupportedNames(
            in: Dictionary(uniqueKeysWithValues: names.map { ($0, "1") })
        )
        #expect(unknown.filter { ImgproxyVariables.reason(for: $0) == nil } == [])
        let families = ImgproxyVariables.families.flatMap(\.names).map { "IMGPROXY_\($0)" }
        #expect(Set(families).count == families.count)
        #expect(families.filter { ServiceConfiguration.entriesByName[$0] != nil } == [])
    }

    @Test("Presets may be divided by another text than a comma, which they contain")
    func presetsSeparator() throws {
        let environment = [
            "IMGPROXY_PRESETS_SEPARATOR": ";;", "IMGPROXY_PRESETS": "a=w:10;;b=h:5/wmt:eCx5",
        ]
        let configuration = try ServiceConfiguration(environment: environment)
        #expect(configuration.urls.presets == ["a=w:10", "b=h:5/wmt:eCx5"])
        #expect(configuration.summary.contains("IMGPROXY_PRESETS=a=w:10;;b=h:5/wmt:eCx5\n"))
        let usual = try ServiceConfiguration(environment: ["IMGPROXY_PRESETS": "a=w:10, b=h:5"])
        #expect(usual.urls.presets == ["a=w:10", "b=h:5"])
    }

    @Test(
        "A response was modified at the configured time at the earliest",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 31 Jan 2026 12:00:00 GMT"),
            ("Sun, 01 Feb 2026 08:49:37 GMT", "Sun, 01 Feb 2026 08:49:37 GMT"),
            (nil, "Sat, 31 Jan 2026 12:00:00 GMT"), ("nonsense", "Sat, 31 Jan 2026 12:00:00 GMT"),
        ]
    )
    func lastModified(source: String?, expected: String) throws {
        let environment = ["IMGPROXY_LAST_MODIFIED_BUSTER": "2026-01-31T13:00:00+01:00"]
        var responses = try ServiceConfiguration(environment: environment).responses
        #expect(responses.lastModified(source) == expected)
        responses.usesLastModified = false
        #expect(responses.lastModified(source) == nil)
        #expect(ServiceConfiguration.Responses().lastModified(source) == source)
    }

    @Test("An empty value is the same as none, so that a former name counts")
    func emptyValues() throws {
        let environment = ["IMGPROXY_WORKERS": "", "IMGPROXY_CONCURRENCY": "3"]
        #expect(try ServiceConfiguration(environment: environment).operation.workers == 3)
    }

    @Test("Names that look like ours but are unknown are reported")
    func unsupported() {
        let names = ServiceConfiguration.unsupportedNames(in: [
            "IMGPROXY_VIPS_CACHE": "1", "KF_ISOLATE": "1", "KF_TYPO": "1", "PATH": "/bin",
        ])
        #expect(names == ["IMGPROXY_VIPS_CACHE", "KF_TYPO"])
    }

    @Test(
        "An unknown variable that restricts something stops the start",
        arguments: [
            "IMGPROXY_S3_DENIED_BUCKET", "IMGPROXY_ALLOWED_SOURCE", "IMGPROXY_MAX_SRC_SIZE",
            "KF_UPLOAD_MAX", "IMGPROXY_ALLOWED_INFO_OPTIONS", "IMGPROXY_INFO_ONLY_PRESETS",
        ]
    )
    func ignoredLimits(name: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(environment: [name: "5"])
        }
        #expect(error?.name == name)
        _ = try ServiceConfiguration(environment: [name: "", "OTHER_MAX_SIZE": "5"])
    }

    @Test("A known variable that restricts nothing here is ignored, whatever its name")
    func ignoredNames() throws {
        let names = ["IMGPROXY_MAX_SVG_CHECK_BYTES", "IMGPROXY_BEST_FORMAT_MAX_RESOLUTION"]
        for name in names { _ = try ServiceConfiguration(environment: [name: "5"]) }
    }

    @Test(
        "A token that no client can send is refused, without showing it",
        arguments: ["KF_ADMIN_TOKEN", "KF_UPLOAD_TOKEN", "IMGPROXY_SECRET"]
    )
    func blankTokens(name: String) throws {
        for value in [" ", "\t", " c0ffee"] {
            let error = #expect(throws: ConfigurationError.self) {
                try ServiceConfiguration(environment: [name: value])
            }
            #expect(error?.name == name)
            #expect(error?.found == nil)
        }
    }

    @Test("The page on operation names every variable, and no other")
    func documented() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../OPERATION.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let named = Set(
            text.matches(of: #/(IMGPROXY|KF|AWS|AZURE|GOOGLE|GCE|OTEL)_[A-Z0-9_]+/#).map {
                String($0.0)
            }
        )
        let known = Set(ServiceConfiguration.entries.map(\.name))
            .union([ServiceConfiguration.fileVariable])
        #expect(named.subtracting(known).isEmpty)
        #expect(known.subtracting(named).isEmpty)
    }

    @Test(
        "Addresses to listen at",
        arguments: [
            (":80", ListenAddress.host("0.0.0.0", port: 80)),
            ("localhost:0", .host("localhost", port: 0)),
            ("unix:/run/kf.sock", .socket(path: "/run/kf.sock")),
        ]
    )
    func addresses(text: String, address: ListenAddress) {
        #expect(ListenAddress(text) == address)
        #expect(ListenAddress(address.description) == address)
    }

    @Test("Local sources need a folder that exists")
    func folder() {
        var configuration = ServiceConfiguration()
        configuration.operation.isolates = false
        configuration.sources.localRoot = "/no/such/folder"
        let error = #expect(throws: ConfigurationError.self) {
            try ImageService(configuration: configuration, logger: Logger(label: "test"))
        }
        #expect(error?.name == "IMGPROXY_LOCAL_FILESYSTEM_ROOT")
    }
}

import Foundation
import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connections that fall silent: a network that was cut, a server that is away.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: NginxServer.isAvailable, "needs nginx and openssl: Scripts/bootstrap.sh --tests")
)
struct CurlNetworkChangeTests {
    private let server: NginxServer
    private let relay: ServerRelay
    private let transport: CurlTransport
    private let bytes = Data(repeating: 7, count: 4 << 20)

    init() throws {
        server = try NginxServer()
        try server.serve(bytes, at: "a")
        let port = try #require(server.secureURL("a").port)
        relay = try ServerRelay(to: UInt16(port))
        var configuration = CurlTransport.Configuration()
        configuration.certificateFile = server.certificateFile
        transport = CurlTransport(configuration: configuration)
    }

    private var url: URL { relay.url(server.secureURL("a")) }

    private var impatient: TransferSettings {
        var settings = TransferSettings.patient
        settings.idleTimeout = .milliseconds(300)
        return settings
    }

    private func start(
        _ settings: TransferSettings,
        _ recorder: TransferRecorder
    ) -> any HTTPTransfer {
        transport.start(URLRequest(url: url), settings: settings, handler: recorder)
    }

    @Test func `DL-45: the load after a silent connection has timed out takes a new one`() async {
        #expect(await transport.load(url).metrics.protocolName == "h2")
        relay.fallSilent()
        let lost = await transport.load(url, settings: impatient)
        guard case .timedOut(.idle, _, _) = lost.error else {
            Issue.record("\(String(describing: lost.error))")
            return
        }
        let next = await transport.load(url)
        #expect(next.error == nil)
        #expect(next.hasBody(bytes))
        #expect(!next.metrics.connectionReused)
        // It works, so it is shared again.
        #expect(await transport.load(url).metrics.connectionReused)
        #expect(relay.connectionCount == 2)
    }

    @Test func `loads that wait on a silent connection are repeated when it is given up`() async {
        _ = await transport.load(url)
        relay.fallSilent()
        let patient = TransferRecorder()
        _ = start(.patient, patient)
        #expect(await transport.load(url, settings: impatient).error?.isTransient == true)
        let outcome = await patient.outcome()
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(bytes))
        #expect(patient.finishCount == 1)
    }

    @Test func `a total time-out also gives the connection up`() async {
        _ = await transport.load(url)
        relay.fallSilent()
        var settings = TransferSettings.patient
        settings.totalTimeout = .milliseconds(300)
        #expect(await transport.load(url, settings: settings).error?.isTransient == true)
        #expect(await transport.load(url).error == nil)
    }

    @Test func `DL-45: a retry strategy succeeds after a connection has fallen silent`()
        async throws
    {
        let image = TestImage.jpeg(width: 64, height: 48)
        try server.serve(image, at: "a")
        let folder = try TemporaryDirectory()
        let downloader = ImageDownloader(name: "silent", transport: transport)
        downloader.resumption = nil
        downloader.downloadTimeout = 1
        let cache = try ImageCache(name: "silent", cacheDirectoryURL: folder.url)
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        _ = try await manager.retrieveImage(with: url, options: [.forceRefresh])
        relay.fallSilent()
        let retry = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0.001))
        let result = try await manager.retrieveImage(
            with: url,
            options: [.forceRefresh, .retryStrategy(retry)]
        )
        #expect(result.cacheType == .none)
        #expect(relay.connectionCount == 2)
    }

    @Test func `DL-49: transfers do not wait for a handshake that hangs`() async throws {
        let hanging = try SilentServer()
        let port = try #require(server.secureURL("a").port)
        let relay = try ServerRelay(to: hanging.port, UInt16(port))
        let request = URLRequest(url: relay.url(server.secureURL("a")))
        let recorders = (0..<4).map { _ in TransferRecorder() }
        let transfers = recorders.map {
            transport.start(request, settings: .patient, handler: $0)
        }
        for recorder in recorders.dropFirst() {
            #expect(await recorder.outcome().error == nil)
        }
        transfers[0].cancel()
        #expect(await recorders[0].outcome().error?.isCancellation == true)
    }

    @Test(arguments: [true, false])
    func `DL-50: an alternative that is not reached is forgotten, and the load works`(
        isRefused: Bool
    ) async throws {
        let folder = try TemporaryDirectory()
        let url = server.secureURL("a")
        let port = try #require(url.port)
        let silent = try SilentServer()
        let target = isRefused ? try ImageServer.freePort() : silent.port
        let entry = "h2 localhost \(port) h2 127.0.0.1 \(target) \"20390101 00:00:00\" 0 0\n"
        let file = folder.file("alternatives")
        try Data(("h2 other 443 h3 other 443 \"20390101 00:00:00\" 0 0\n" + entry).utf8)
            .write(to: file)
        var configuration = CurlTransport.Configuration()
        configuration.certificateFile = server.certificateFile
        configuration.alternativesFile = file.path
        configuration.followsAlternatives = true
        let transport = CurlTransport(configuration: configuration)
        var settings = TransferSettings.patient
        settings.allowsHTTP3 = true
        let outcome = await transport.load(url, settings: settings)
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(bytes))
        let kept = try String(contentsOf: file, encoding: .utf8)
        #expect(kept.contains("h2 other 443"))
        #expect(!kept.contains("localhost"))
    }

    @Test func `a paused transfer keeps its silent connection`() async {
        let paused = TransferRecorder(chunk: { $0.pause() })
        let transfer = start(.patient, paused)
        await paused.wait { $0.contains { if case .chunk = $0 { true } else { false } } }
        relay.fallSilent()
        #expect(await transport.load(url, settings: impatient).error?.isTransient == true)
        #expect(await transport.load(url).error == nil)
        #expect(relay.connectionCount == 2)
        #expect(paused.finishCount == 0)
        transfer.cancel()
        #expect(await paused.outcome().error?.isCancellation == true)
    }
}

/// Changes of the network that the machine notices itself.
@Suite(.timeLimit(.minutes(1)))
struct CurlNetworkNoticeTests {
    @Test func `DL-46: connections are not used again after the machine has slept`() async throws {
        let server = try ImageServer()
        server.route("/a", .text("a"))
        let slept = Locked(Duration.seconds(100))
        var configuration = CurlTransport.Configuration()
        configuration.timeAsleep = { slept.value }
        let transport = CurlTransport(configuration: configuration)
        for _ in 1...2 { #expect(await transport.load(server.url("/a")).error == nil) }
        #expect(server.connectionCount == 1)
        slept.change { $0 += .seconds(60) }
        for _ in 1...2 { #expect(await transport.load(server.url("/a")).error == nil) }
        #expect(server.connectionCount == 2)
    }

    @Test(
        .enabled(
            if: NetworkNamespace.isAvailable && NginxServer.isAvailable,
            "needs root, namespaces and nginx"
        )
    )
    func `DL-46: no load is lost when the machine gets another address`() async throws {
        let network = try NetworkNamespace()
        let server = try NginxServer(address: network.server)
        let bytes = Data(repeating: 7, count: 100_000)
        try server.serve(bytes, at: "a")
        let transport = CurlTransport(configuration: .init(), threads: network.threads)
        var settings = TransferSettings.patient
        settings.trustedHosts = [network.server]
        for url in [server.url("a"), server.secureURL("a")] {
            let before = await transport.load(url, settings: settings)
            #expect(before.error == nil)
        }
        try network.changeAddress()
        for url in [server.url("a"), server.secureURL("a")] {
            let after = await transport.load(url, settings: settings)
            #expect(after.error == nil)
            #expect(after.hasBody(bytes))
            #expect(!after.metrics.connectionReused)
            #expect(await transport.load(url, settings: settings).metrics.connectionReused)
        }
    }
}

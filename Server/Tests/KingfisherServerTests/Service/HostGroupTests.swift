import Foundation
import Testing

@testable import KingfisherServer

struct HostGroupTests {
    @Test(
        "All names and addresses of an owner are one group",
        arguments: [
            (
                ["evil.example", "a.evil.example", "B.a.Evil.Example", "evil.example."],
                "evil.example"
            ),
            (["evil.co.uk", "a.evil.co.uk"], "evil.co.uk"),
            (["localhost"], "localhost"), (["co.uk"], "co.uk"), ([""], ""),
            (
                ["127.0.0.1", "127.0.0.9", "127.1", "0x7f000001", "2130706433", "0177.0.0.1"],
                "127.0.0/"
            ),
            (["[::ffff:127.0.0.1]", "::ffff:127.0.0.7"], "127.0.0/"),
            (["[2001:db8:1::1]", "2001:db8:1:ffff::2"], "32.1.13.184.0.1/"),
        ]
    )
    func group(_ hosts: [String], _ name: String) {
        for host in hosts { #expect(HostGroup.name(of: host) == name, "\(host)") }
    }

    @Test("Other owners are other groups")
    func others() {
        let hosts = [
            "a.example", "b.example", "a.co.uk", "b.co.uk", "127.0.1.1", "127.0.0.example",
            "2001:db8:2::1", "a.cloudfront.net", "b.cloudfront.net", "c.s3.eu-west-1.amazonaws.com",
            "d.s3.eu-west-1.amazonaws.com", "a.blob.core.windows.net",
        ]
        #expect(Set(hosts.map(HostGroup.name(of:))).count == hosts.count)
    }

    @Test("Sources are counted by the group of their host")
    func sources() throws {
        let url = try #require(URL(string: "http://a.b.evil.example:8080/x.jpg"))
        #expect(ImageReference.web(url).server == "evil.example")
        let address = try #require(URL(string: "http://[::ffff:127.0.0.1]:8080/x.jpg"))
        #expect(ImageReference.web(address).server == "127.0.0/")
        #expect(ImageReference.local(path: "x.jpg").server == "local:")
    }

    @Test("A slow watermark does not count against the server of the source")
    func watermark() throws {
        let source = ImageReference.web(try #require(URL(string: "http://good.example/x.jpg")))
        var request = ImageRequest(kind: .image, source: source, options: ProcessingOptions())
        request.options.watermark = .init(opacity: 1)
        #expect(request.server == "good.example")
        request.options.watermarkSource = source
        #expect(request.server == "good.example")
        request.options.watermarkSource = .web(try #require(URL(string: "http://evil.example/")))
        #expect(request.server == "watermark:")
        request.options.watermark = nil
        #expect(request.server == "good.example")
    }
}

import Testing

@testable import Kingfisher

struct AddressRangeTests {
    @Test(arguments: [
        ("127.0.0.1", AddressRange.loopback), ("127.255.255.254", .loopback), ("::1", .loopback),
        ("10.0.0.1", .privateUse), ("172.16.0.1", .privateUse), ("172.31.255.255", .privateUse),
        ("192.168.1.1", .privateUse), ("192.168.255.255", .privateUse),
        ("10.255.255.255", .privateUse), ("100.64.0.1", .privateUse),
        ("100.127.255.255", .privateUse), ("fc00::1", .privateUse),
        ("fdff::1", .privateUse), ("fec0::1", .privateUse), ("169.254.169.254", .linkLocal),
        ("169.254.0.0", .linkLocal), ("169.254.255.255", .linkLocal),
        ("fe80::1%eth0", .linkLocal), ("febf::1", .linkLocal), ("168.63.129.16", .metadata),
        ("100.100.100.200", .metadata), ("224.0.0.1", .multicast),
        ("239.255.255.255", .multicast), ("255.255.255.255", .multicast), ("ff02::1", .multicast),
        ("0.0.0.0", .reserved), ("0.1.2.3", .reserved), ("0.255.255.255", .reserved),
        ("::", .reserved),
        ("192.0.0.192", .reserved), ("192.0.2.1", .reserved), ("192.88.99.0", .reserved),
        ("192.88.99.255", .reserved), ("198.18.0.1", .reserved), ("198.19.255.255", .reserved),
        ("198.51.100.7", .reserved), ("203.0.113.9", .reserved), ("240.0.0.1", .reserved),
        ("255.255.255.254", .reserved), ("2001:db8::1", .reserved), ("3fff::1", .reserved),
        ("3fff:fff::1", .reserved), ("2001::1", .reserved), ("2001:1ff::1", .reserved),
        ("100::1", .reserved), ("4000::1", .reserved), ("5f00::1", .reserved),
    ])
    func `special ranges are recognised`(text: String, range: AddressRange) throws {
        #expect(try #require(NumericAddress(text: text)).range == range)
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "168.63.129.15", "169.253.255.255", "169.255.0.0",
        "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
        "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "193.0.0.1",
        "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255",
        "203.0.114.0", "223.255.255.255", "2606:4700::1111",
        "2a00:1450::8b", "2001:4860:4860::8888", "2001:200::1", "2001:db7::1", "2001:db9::1",
        "3ffe::1", "3fff:1000::1",
    ])
    func `public addresses are public`(text: String) throws {
        #expect(try #require(NumericAddress(text: text)).range == nil)
    }

    @Test(arguments: [
        ("::ffff:127.0.0.1", AddressRange.loopback), ("::127.0.0.1", .loopback),
        ("64:ff9b::127.0.0.1", .loopback), ("2002:7f00:1::", .loopback),
        ("2001:4860::5efe:127.0.0.1", .loopback), ("2001:4860::200:5efe:10.0.0.1", .privateUse),
        ("::ffff:10.0.0.1", .privateUse), ("2002:a00:1::", .privateUse),
        ("2002:a9fe:a9fe::1", .linkLocal), ("64:ff9b:1::127.0.0.1", .reserved),
        ("::ffff:0:7f00:1", .reserved), ("2001:0:1:2:3:4:80ff:fffe", .reserved),
    ])
    func `an IPv4 address inside an IPv6 address does not hide`(
        text: String,
        range: AddressRange
    ) throws {
        #expect(try #require(NumericAddress(text: text)).range == range)
    }

    @Test(arguments: [
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:4860::5efe:8.8.8.8",
    ])
    func `a public IPv4 address inside an IPv6 address is public`(text: String) throws {
        #expect(try #require(NumericAddress(text: text)).range == nil)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "::g", "127.1"])
    func `text that is not an address gives nil`(text: String) {
        #expect(NumericAddress(text: text) == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::1"])
    func `an address prints as it is written`(text: String) throws {
        #expect(try #require(NumericAddress(text: text)).text == text)
    }
}

import Foundation
import Kingfisher
import Testing

struct HTTPDateTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777), ("SUN NOV  6 08:49:37 1994", 784_111_777),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
    func `the three formats`(text: String, seconds: Int) {
        #expect(HTTPDate.parse(text, now: now)?.timeIntervalSince1970 == TimeInterval(seconds))
    }

    // Now is 14 November 2023.
    @Test(arguments: [
        ("01-Jan-40", 2_208_988_800), ("01-Nov-73", 3_276_720_000), ("01-Dec-73", 123_552_000),
        ("01-Jan-80", 315_532_800),
    ])
    func `two digits of a year are at most fifty years ahead`(day: String, seconds: Int) throws {
        let date = try #require(HTTPDate.parse("Monday, \(day) 00:00:00 GMT", now: now))
        #expect(date.timeIntervalSince1970 == TimeInterval(seconds))
    }

    @Test(arguments: [
        "", "0", "-1", "soon", "Sun, 99 Nov 1994", "Tue, 30 Feb 2000 12:00:00 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Now 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "a b c d e", "Sun Nov 6 :: 1994",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994  08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT GMT", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Foo, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:nn:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }
}

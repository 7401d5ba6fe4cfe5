import Foundation
import Testing

@testable import Kingfisher

struct StorageExpirationTests {
    private let now: TimeInterval = 1_000

    @Test func `EXP-1: lengths are in seconds`() {
        #expect(StorageExpiration.never.length(from: now) == .infinity)
        #expect(StorageExpiration.seconds(5).length(from: now) == 5)
        #expect(StorageExpiration.days(2).length(from: now) == 172_800)
        let date = Date(timeIntervalSinceReferenceDate: 1_010)
        #expect(StorageExpiration.date(date).length(from: now) == 10)
        #expect(StorageExpiration.expired.length(from: now) == -.infinity)
    }

    @Test(arguments: [
        StorageExpiration.expired, .seconds(0), .seconds(-1), .seconds(.nan), .days(0),
        .date(Date(timeIntervalSinceReferenceDate: 1_000)),
    ])
    func `EXP-1: a length of not more than nothing is expired`(rule: StorageExpiration) {
        #expect(rule.isAlreadyExpired(at: now))
    }

    @Test(arguments: [
        StorageExpiration.never, .seconds(0.5), .days(1), .days(.max),
        .date(Date(timeIntervalSinceReferenceDate: 1_001)),
    ])
    func `a length of more than nothing is not expired`(rule: StorageExpiration) {
        #expect(!rule.isAlreadyExpired(at: now))
    }

    @Test func `EXP-3: a date that is reached is past`() {
        let now = Date(timeIntervalSinceReferenceDate: 1_000)
        #expect(StorageExpiration.date(now).isAlreadyExpired(at: 1_000))
        #expect(!StorageExpiration.date(now).isAlreadyExpired(at: 999.9))
    }

    @Test func `EXP-2: expiries follow from the moment of storing`() {
        #expect(StorageExpiration.never.expiry(from: now) == .infinity)
        #expect(StorageExpiration.seconds(5).expiry(from: now) == 1_005)
        #expect(StorageExpiration.days(1).expiry(from: now) == 87_400)
        let date = Date(timeIntervalSinceReferenceDate: 3)
        #expect(StorageExpiration.date(date).expiry(from: now) == 3)
        #expect(StorageExpiration.expired.expiry(from: now) == -.infinity)
    }
}

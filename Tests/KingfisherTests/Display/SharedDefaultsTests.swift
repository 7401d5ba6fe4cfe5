import Foundation
import Testing

@testable import Kingfisher

/// The defaults that views and builders take from the shared manager.
///
/// The test changes the shared manager only while no other test can run on the main actor, and only
/// by an option without any effect.
@MainActor
struct SharedDefaultsTests {
    private final class Place: KingfisherImageSettable {
        var seen: KingfisherParsedOptionsInfo?
        func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
            seen = options
        }
        func getImage() -> KFCrossPlatformImage? { nil }
    }

    private func withDefaults(_ options: KingfisherOptionsInfo, _ body: () -> Void) {
        let manager = KingfisherManager.shared
        let before = manager.defaultOptions
        manager.defaultOptions = before + options
        defer { manager.defaultOptions = before }
        body()
    }

    @Test func `OPT-8: a view starts from the shared manager's defaults`() {
        let place = Place()
        withDefaults([.diskStoreWriteOptions(.atomic)]) {
            place.kf.setImage(with: nil as Source?)
            #expect(place.seen?.diskStoreWriteOptions == .atomic)
            place.kf.setImage(with: nil as Source?, options: [.diskStoreWriteOptions([])])
            #expect(place.seen?.diskStoreWriteOptions == [])
        }
        place.kf.setImage(with: nil as Source?)
        #expect(place.seen?.diskStoreWriteOptions == [])
    }

    @Test func `OPT-10: a builder reads the defaults when it is made`() {
        let early = KF.source(nil)
        let place = Place()
        withDefaults([.diskStoreWriteOptions(.atomic)]) {
            early.set(to: place)
            #expect(place.seen?.diskStoreWriteOptions == [])
            KF.source(nil).set(to: place)
            #expect(place.seen?.diskStoreWriteOptions == .atomic)
        }
    }
}

import Foundation
import Kingfisher
import Testing

struct KFCrossPlatformColorTests {
    @Test func `greys are the same in Display P3`() {
        let grey = KFCrossPlatformColor(displayP3Red: 0.5, green: 0.5, blue: 0.5, alpha: 0.25)
        for component in [grey.red, grey.green, grey.blue] { #expect(abs(component - 0.5) < 1e-4) }
        #expect(grey.alpha == 0.25)
    }

    @Test func `the green of Display P3 lies outside of sRGB`() {
        // The known extended sRGB components of P3's green, to four decimals.
        let green = KFCrossPlatformColor(displayP3Red: 0, green: 1, blue: 0, alpha: 1)
        #expect(abs(green.red + 0.5116) < 1e-3)
        #expect(abs(green.green - 1.0183) < 1e-3)
        #expect(abs(green.blue + 0.3107) < 1e-3)
    }
}

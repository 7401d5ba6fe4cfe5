import Foundation
import Kingfisher

extension KFCrossPlatformColor {
    /// The colour as `#rrggbb`, without the alpha.
    var hexadecimal: String {
        let parts = [red, green, blue].map { Int((min(1, max(0, $0)) * 255).rounded()) }
        return "#" + parts.map { String(format: "%02x", $0) }.joined()
    }
}

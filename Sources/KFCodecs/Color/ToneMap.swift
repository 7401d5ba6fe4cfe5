#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Brings the light of high dynamic range into that of usual screens.
///
/// The source's peak is taken for 1,000 cd/m²; brighter light is clipped. The target's white is the
/// reference white of 203 cd/m². Up to about 94 cd/m² light stays as it is, and above it is
/// compressed. The hue stays, because all channels are scaled as the largest of them.
///
/// Source: ITU-R BT.2390-10, 5.4.1 (EETF); ITU-R BT.2100-2, tables 4 and 5 (PQ, HLG); ITU-R
/// BT.2408-5 (reference white).
final class ToneMap: Sendable {
    static let pq = ToneMap(isHybrid: false)
    static let hlg = ToneMap(isHybrid: true)

    /// For PQ the light that a screen shows, for HLG that of the scene; 1 is the peak.
    let curve: [Float]
    private let isHybrid: Bool
    /// The factors for the square roots of light of 0…1, with the reference white as 1.
    private let gains: [Float]
    private static let steps = 4096
    private static let (peak, white) = (1000.0, 203.0)

    /// The map for `TransferCharacteristics` of ITU-T H.273; nil for those of usual range.
    static func of(transfer: Int) -> ToneMap? {
        switch transfer {
        case 16: pq
        case 18: hlg
        default: nil
        }
    }

    private init(isHybrid: Bool) {
        self.isHybrid = isHybrid
        curve = (0...65_535).map { index in
            let signal = Double(index) / 65_535
            return Float(isHybrid ? Self.sceneLight(signal) : Self.light(signal) / Self.peak)
        }
        gains = (0...Self.steps).map { index in
            let root = Double(max(index, 1)) / Double(Self.steps)
            let light = root * root
            return Float(Self.mapped(light * Self.peak) / Self.white / light)
        }
    }

    /// The light that is shown; 1 is white.
    func mapped(_ red: Float, _ green: Float, _ blue: Float) -> (Float, Float, Float) {
        var factor: Float = 1
        if isHybrid {
            // The system gamma of a screen of 1,000 cd/m².
            let luma = 0.2627 * red + 0.678 * green + 0.0593 * blue
            factor = luma > 0 ? powf(luma, 0.2) : 0
        }
        factor *= gain(max(red, green, blue) * factor)
        return (red * factor, green * factor, blue * factor)
    }

    private func gain(_ light: Float) -> Float {
        guard light < 1 else { return 1 / light }
        guard light > 0 else { return gains[0] }
        let place = light.squareRoot() * Float(Self.steps)
        let index = min(Int(place), Self.steps - 1)
        return gains[index] + (gains[index + 1] - gains[index]) * (place - Float(index))
    }

    /// The light in cd/m² that is shown for light of the source.
    private static func mapped(_ light: Double) -> Double {
        let most = signal(peak)
        let own = signal(light) / most
        let limit = signal(white) / most
        let knee = 1.5 * limit - 0.5
        guard own > knee else { return light }
        let t = (own - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let curve =
            (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee)
            + (3 * t2 - 2 * t3) * limit
        return Self.light(curve * most)
    }

    /// The light of a PQ signal in cd/m², 0…10,000.
    private static func light(_ signal: Double) -> Double {
        let power = pow(signal, 32 / 2523.0)
        let light = max(power - 3424 / 4096.0, 0) / (2413 / 128.0 - 2392 / 128.0 * power)
        return 10_000 * pow(light, 8192 / 1305.0)
    }

    private static func signal(_ light: Double) -> Double {
        let power = pow(light / 10_000, 1305 / 8192.0)
        return pow((3424 / 4096.0 + 2413 / 128.0 * power) / (1 + 2392 / 128.0 * power), 2523 / 32.0)
    }

    private static func sceneLight(_ signal: Double) -> Double {
        signal <= 0.5
            ? signal * signal / 3
            : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }
}

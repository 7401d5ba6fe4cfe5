/// Smooth random numbers over the plane, equal for equal seeds on every machine.
///
/// Value noise: random numbers on an integer lattice, interpolated by a quintic curve. The mixing
/// of the lattice coordinates follows the finalizer of MurmurHash3.
struct Noise {
    let seed: UInt32

    /// A random number for a lattice point: at least 0, less than 1.
    @inline(__always)
    func lattice(_ x: Int32, _ y: Int32) -> Float {
        var hash = UInt32(bitPattern: x) &* 0x27D4_EB2D
        hash ^= UInt32(bitPattern: y) &* 0x1656_67B1
        hash ^= seed
        hash ^= hash >> 15
        hash &*= 0x85EB_CA6B
        hash ^= hash >> 13
        hash &*= 0xC2B2_AE35
        hash ^= hash >> 16
        return Float(hash >> 8) * (1 / 16_777_216)
    }

    /// Smooth noise of 0…1 with bumps about one unit wide.
    @inline(__always)
    func value(_ x: Float, _ y: Float) -> Float {
        let left = x.rounded(.down)
        let top = y.rounded(.down)
        let column = Int32(left)
        let row = Int32(top)
        let across = Self.fade(x - left)
        let down = Self.fade(y - top)
        let upper = mix(lattice(column, row), lattice(column &+ 1, row), across)
        let lower = mix(lattice(column, row &+ 1), lattice(column &+ 1, row &+ 1), across)
        return mix(upper, lower, down)
    }

    /// A sum of increasingly fine and faint noise, 0…1, which looks like clouds or rock.
    ///
    /// Each of the `octaves` is twice as fine and half as strong as the one before.
    @inline(__always)
    func fractal(_ x: Float, _ y: Float, octaves: Int) -> Float {
        var sum: Float = 0
        var strength: Float = 0.5
        var total: Float = 0
        var x = x
        var y = y
        for _ in 0..<octaves {
            sum += value(x, y) * strength
            total += strength
            strength *= 0.5
            // Not exactly 2, so that the lattices of the layers do not align.
            x = x * 2.03 + 17.1
            y = y * 2.03 + 9.7
        }
        return sum / total
    }

    @inline(__always)
    private static func fade(_ t: Float) -> Float {
        t * t * t * (t * (t * 6 - 15) + 10)
    }
}

@inline(__always)
func mix(_ from: Float, _ to: Float, _ share: Float) -> Float {
    from + (to - from) * share
}

@inline(__always)
func mix(_ from: SIMD3<Float>, _ to: SIMD3<Float>, _ share: Float) -> SIMD3<Float> {
    from + (to - from) * share
}

@inline(__always)
func clamped(_ value: Float) -> Float {
    min(1, max(0, value))
}

/// 0 below `low`, 1 above `high`, smooth between.
@inline(__always)
func smoothStep(_ low: Float, _ high: Float, _ value: Float) -> Float {
    let t = clamped((value - low) / (high - low))
    return t * t * (3 - 2 * t)
}

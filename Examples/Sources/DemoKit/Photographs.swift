/// Photograph-like images without end, for the gallery.
package enum Photographs {
    /// The photograph of a number, always the same one.
    ///
    /// - Parameters:
    ///   - number: Chooses the place and its weather.
    ///   - width: In pixels.
    ///   - height: In pixels.
    ///   - hour: The time, 0..<1 for one day; 0 is the brightest.
    /// - Returns: The photograph.
    package static func painted(
        _ number: Int,
        width: Int,
        height: Int,
        hour: Float = 0
    ) -> Canvas {
        var place = place(number)
        place.turn(to: hour)
        return place.painted(width: width, height: height)
    }

    private static func place(_ number: Int) -> Landscape {
        let dice = Noise(seed: 977)
        let column = Int32(truncatingIfNeeded: number)
        func roll(_ row: Int32) -> Float { dice.lattice(column, row) - 0.5 }

        let places = [
            DemoPicture.lake, DemoPicture.dawn, DemoPicture.dunes, DemoPicture.lake,
            DemoPicture.dawn, DemoPicture.night, DemoPicture.dunes,
        ]
        var place = places[Int(number.magnitude % UInt(places.count))]
        place.seed &+= UInt32(truncatingIfNeeded: number) &* 40_503
        place.sun.x = 0.5 + 0.75 * roll(1)
        if place.clouds > 0 { place.clouds += 0.2 * roll(2) }
        let warmth = SIMD3(repeating: 1) + roll(3) * SIMD3<Float>(0.5, 0.06, -0.3)
        place.skyTop *= warmth
        place.skyHorizon *= mix(SIMD3(repeating: 1), warmth, 0.4)
        for index in place.ridges.indices {
            let row = Int32(10 + index * 3)
            place.ridges[index].base += 0.05 * roll(row)
            place.ridges[index].rise *= 1 + 0.5 * roll(row + 1)
            place.ridges[index].peaks *= 1 + 0.5 * roll(row + 2)
        }
        return place
    }
}

extension Landscape {
    /// Moves the sun and changes the light to that of an hour, 0..<1.
    fileprivate mutating func turn(to hour: Float) {
        guard hour != 0 else { return }
        // A triangle from noon (0) to midnight (1) and back, softened at both ends.
        let night = smoothStep(0, 1, hour < 0.5 ? hour * 2 : 2 - hour * 2)
        let dusk = 1 - abs(night * 2 - 1)
        let dark = SIMD3<Float>(0.16, 0.22, 0.40)
        let light = mix(SIMD3(repeating: 1), dark, night)
        sun.y += night * 0.5
        skyTop *= light
        skyHorizon = skyHorizon * light + SIMD3(0.30, 0.08, -0.06) * (dusk * 0.6)
        cloudColour = cloudColour * light + SIMD3(0.20, 0.05, 0) * (dusk * 0.5)
        sunColour *= mix(SIMD3(repeating: 1), SIMD3(1, 0.55, 0.3), dusk)
        hasStars = hasStars || night > 0.8
        for index in ridges.indices {
            ridges[index].lit *= light
            ridges[index].shadow *= light
        }
    }
}

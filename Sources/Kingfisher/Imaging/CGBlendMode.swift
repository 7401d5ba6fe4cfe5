import Pixels

/// How a picture is mixed with what lies below it; names and raw values are those of Core Graphics.
///
/// Formulas: W3C, Compositing and Blending Level 1 (https://www.w3.org/TR/compositing-1/).
public enum CGBlendMode: Int32, Hashable, Sendable, CaseIterable {
    /// The picture over the backdrop.
    case normal = 0
    /// The product: never lighter than either.
    case multiply = 1
    /// The product of the inverses, inverted: never darker than either.
    case screen = 2
    /// Multiply or screen, by the backdrop.
    case overlay = 3
    /// The darker of both, channel by channel.
    case darken = 4
    /// The lighter of both, channel by channel.
    case lighten = 5
    /// Brightens the backdrop by the picture.
    case colorDodge = 6
    /// Darkens the backdrop by the picture.
    case colorBurn = 7
    /// Darkens or lightens softly, by the picture.
    case softLight = 8
    /// Multiply or screen, by the picture.
    case hardLight = 9
    /// The absolute difference.
    case difference = 10
    /// Like the difference, with less contrast.
    case exclusion = 11
    /// The picture's hue, the backdrop's saturation and luminosity.
    case hue = 12
    /// The picture's saturation, the backdrop's hue and luminosity.
    case saturation = 13
    /// The picture's hue and saturation, the backdrop's luminosity.
    case color = 14
    /// The picture's luminosity, the backdrop's hue and saturation.
    case luminosity = 15
    /// Nothing at all.
    case clear = 16
    /// The picture alone.
    case copy = 17
    /// The picture where the backdrop is.
    case sourceIn = 18
    /// The picture where the backdrop is not.
    case sourceOut = 19
    /// The picture where the backdrop is, over it.
    case sourceAtop = 20
    /// The backdrop over the picture.
    case destinationOver = 21
    /// The backdrop where the picture is.
    case destinationIn = 22
    /// The backdrop where the picture is not.
    case destinationOut = 23
    /// The backdrop where the picture is, over it.
    case destinationAtop = 24
    /// Each where the other is not.
    case xor = 25
    /// The sum, less what is beyond full coverage.
    case plusDarker = 26
    /// The sum, cut at white.
    case plusLighter = 27

    /// The kernel of the mode.
    var kernel: BlendMode {
        // Both lists have the public constants; a test holds them together.
        BlendMode(rawValue: Int(rawValue)) ?? .normal
    }
}

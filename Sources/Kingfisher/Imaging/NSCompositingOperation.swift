/// How an image is composited with a backdrop; names and raw values are those of AppKit.
public enum NSCompositingOperation: UInt, Hashable, Sendable, CaseIterable {
    /// Transparent.
    case clear = 0
    /// Only the image.
    case copy = 1
    /// The image over the backdrop.
    case sourceOver = 2
    /// The image where the backdrop is opaque.
    case sourceIn = 3
    /// The image where the backdrop is transparent.
    case sourceOut = 4
    /// The image over the backdrop, only where the backdrop is opaque.
    case sourceAtop = 5
    /// The backdrop over the image.
    case destinationOver = 6
    /// The backdrop where the image is opaque.
    case destinationIn = 7
    /// The backdrop where the image is transparent.
    case destinationOut = 8
    /// The backdrop over the image, only where the image is opaque.
    case destinationAtop = 9
    /// Each of the two where the other is transparent.
    case xor = 10
    /// The sum, reduced by the excess over full coverage.
    case plusDarker = 11
    /// As ``sourceOver``; AppKit's old name.
    case highlight = 12
    /// The sum, clamped to white.
    case plusLighter = 13
    /// The product of both; never lighter than either.
    case multiply = 14
    /// The inverted product of the inverted colours; never darker than either.
    case screen = 15
    /// Multiply or screen, depending on the backdrop.
    case overlay = 16
    /// The darker of the two, per channel.
    case darken = 17
    /// The lighter of the two, per channel.
    case lighten = 18
    /// Brightens the backdrop to reflect the image.
    case colorDodge = 19
    /// Darkens the backdrop to reflect the image.
    case colorBurn = 20
    /// Darkens or lightens softly, depending on the image.
    case softLight = 21
    /// Multiply or screen, depending on the image.
    case hardLight = 22
    /// The absolute difference.
    case difference = 23
    /// Like the difference, but with less contrast.
    case exclusion = 24
    /// The hue of the image with the saturation and luminosity of the backdrop.
    case hue = 25
    /// The saturation of the image with the hue and luminosity of the backdrop.
    case saturation = 26
    /// The hue and saturation of the image with the luminosity of the backdrop.
    case color = 27
    /// The luminosity of the image with the hue and saturation of the backdrop.
    case luminosity = 28

    /// The same operation in the list of Core Graphics.
    public var blendMode: CGBlendMode {
        switch self {
        case .sourceOver, .highlight: .normal
        case .clear: .clear
        case .copy: .copy
        case .sourceIn: .sourceIn
        case .sourceOut: .sourceOut
        case .sourceAtop: .sourceAtop
        case .destinationOver: .destinationOver
        case .destinationIn: .destinationIn
        case .destinationOut: .destinationOut
        case .destinationAtop: .destinationAtop
        case .xor: .xor
        case .plusDarker: .plusDarker
        case .plusLighter: .plusLighter
        case .multiply: .multiply
        case .screen: .screen
        case .overlay: .overlay
        case .darken: .darken
        case .lighten: .lighten
        case .colorDodge: .colorDodge
        case .colorBurn: .colorBurn
        case .softLight: .softLight
        case .hardLight: .hardLight
        case .difference: .difference
        case .exclusion: .exclusion
        case .hue: .hue
        case .saturation: .saturation
        case .color: .color
        case .luminosity: .luminosity
        }
    }
}

/// How a file stores transparency.
enum StoredAlpha {
    case none
    case straight
    case premultiplied
}

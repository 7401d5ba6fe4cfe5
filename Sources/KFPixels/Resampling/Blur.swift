/// Blurs with an approximate Gaussian of standard deviation `radius`, made of box passes.
///
/// Method: Kovesi, "Fast Almost-Gaussian Filtering" (2010), with the box sizes that the SVG
/// specification defines for feGaussianBlur. Edges are extended. Below a radius of 0.5 there is one
/// pass, below 1.5 two, otherwise three; a radius under 2 counts as 2.
///
/// - Parameters:
///   - source: Any size. Premultiplied, so that transparent borders leave no dark fringe.
///   - radius: In pixels. NaN counts as the smallest radius, infinity as the bitmap's size.
/// - Returns: A new bitmap of the same size.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
/// - Complexity: O(pixels), whatever the radius.
package func blur(_ source: Bitmap, radius: Double) throws(PixelError) -> Bitmap {
    let deviation = max(radius.isNaN ? 0 : radius, 2)
    let longest = Double(2 * source.size.longestSide + 1)
    let exact = deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5
    let size = Int(min(exact, longest))
    let passes = radius >= 1.5 ? 3 : radius >= 0.5 ? 2 : 1
    return try boxBlur(source, size: size.isMultiple(of: 2) ? size + 1 : size, passes: passes)
}

/// Averages over squares of `size` pixels, `passes` times.
///
/// - Parameters:
///   - source: Any size.
///   - size: The side of the square in pixels; odd, at least 3.
///   - passes: The number of repetitions.
///   - backend: The fastest by default. The results are equal.
/// - Returns: A new bitmap of the same size.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func boxBlur(
    _ source: Bitmap,
    size: Int,
    passes: Int,
    backend: Convolution.Backend = Convolution.backend
) throws(PixelError) -> Bitmap {
    // Filter the columns and transpose, twice. Filtering rows would use a quarter of each register
    // and depend on the previous sum.
    let columns = BoxColumns(source, size: size, passes: passes, backend: backend)
    let half = try columns.transposed()
    return try BoxColumns(half, size: size, passes: passes, backend: backend).transposed()
}

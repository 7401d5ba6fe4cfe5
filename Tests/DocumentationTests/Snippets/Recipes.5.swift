// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Kingfisher

func clear() async {
    await ImageCache.default.clearCache()
}

// As the original does, so that code which imports only Kingfisher has `URL`, `Data` and `CGSize`.
@_exported public import Foundation

// On Apple's platforms Foundation contains URLRequest and related types; on Linux they are in a
// separate module.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif

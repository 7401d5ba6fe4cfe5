import Foundation
import KFCodecs
import KFPixels

/// Reads SVG in worker processes for callers who may block, and who do not ask for isolation.
///
/// Waits for a worker, for as long as its limit on time allows. A task that was cancelled waits no longer.
struct DrawingWorkers: Drawings.Renderer {
    func size(of file: Data) throws(CodecError) -> PixelSize {
        guard case .header(let header?) = try answer(to: .header, about: file).1 else {
            throw reason(file)
        }
        return header.size
    }

    func bitmap(
        of file: Data,
        own: PixelSize,
        at size: PixelSize
    ) throws(CodecError) -> Bitmap {
        let plan = DecodePlan(own: own, base: size)
        let (pool, answer) = try answer(to: .plan(plan), about: file)
        guard case .image(let parcel) = answer else { throw reason(file) }
        do throws(WireError) {
            let image = try IsolatedDecoding(pool: pool)
                .unpacked(parcel, of: file, .still(.default))
            if let bitmap = image.bitmap, bitmap.size == size { return bitmap }
        } catch {
            throw .notDrawn("\(IsolationFailure.invalidAnswer(error.description))")
        }
        throw .notDrawn("\(IsolationFailure.invalidAnswer("the drawing has another size"))")
    }

    private func answer(
        to request: IsolatedRequest,
        about file: Data
    ) throws(CodecError) -> (WorkerPool, IsolatedAnswer) {
        do {
            let pool = try ProcessIsolation.pool(for: file)
            let message = try pool.waitForAnswer(to: request.message(for: file)) {
                !Task.isCancelled
            }
            return (pool, try IsolatedAnswer(message))
        } catch let failure as WorkerFailure {
            throw .notDrawn("\(IsolationFailure(failure))")
        } catch {
            throw .notDrawn("\(error)")
        }
    }

    /// Why a worker has no result; of a file that was cut off, the error that asks for more.
    private func reason(_ file: Data) -> CodecError {
        let cutOff = CodecError.truncated(.svg)
        do throws(CodecError) {
            guard case .reason(let reason?) = try answer(to: .reason, about: file).1 else {
                return .notDrawn("the worker process gave no reason")
            }
            return reason == "\(cutOff)" ? cutOff : .notDrawn(reason)
        } catch {
            return error
        }
    }
}

extension ImageProcessItem {
    /// Whether it is a file that is read in worker processes only, whatever the options are.
    var isDrawing: Bool {
        if case .data(let data) = self { data.isDrawing } else { false }
    }
}

extension Data {
    /// Whether it is a file that is read in worker processes only, whatever the options are.
    var isDrawing: Bool { Codecs.format(of: self) == .svg }
}

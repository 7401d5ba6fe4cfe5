import Foundation
import Kingfisher

ProcessIsolation.runWorkerIfAsked(hook: { file in
    PlantedFault.countRequest()
    PlantedFault(in: file)?.happen(with: file)
})

BareLoad.runIfAsked()

// Started by hand, or by a test of what a program without a worker does.
print("This program is a worker for the tests of Kingfisher.")

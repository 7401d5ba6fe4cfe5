import Foundation
import Kingfisher

ProcessIsolation.runWorkerIfAsked(hook: { PlantedFault(in: $0)?.happen(with: $0) })

// Started by hand, or by a test of what a program without a worker does.
print("This program is a worker for the tests of Kingfisher.")

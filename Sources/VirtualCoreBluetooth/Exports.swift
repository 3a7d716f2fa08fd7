// Apple's framework brings Foundation and Dispatch along, and apps count on it.
@_exported public import Foundation

// On Linux the name of Apple's framework stands for the virtual one, so that an app's `import CoreBluetooth` compiles unchanged.
@_exported public import VirtualCoreBluetooth

"""The recordings of this folder: one module a device, each with the device and what the phone does with it."""

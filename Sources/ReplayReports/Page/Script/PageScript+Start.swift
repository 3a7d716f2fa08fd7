extension PageScript {
  /// Puts the parts together.
  static let start = #"""
    heading();
    const sequence = data.timelines.length > 0 ? new Sequence() : null;
    const parts = el("div");
    main.replaceChildren(parts);
    const sweeps = el("div", { id: "sweeps" });
    const maps = data.sweeps.map((sweep, index) => new SweepMap(sweep, index));
    sweeps.append(...maps.map(map => map.part));
    parts.append(runsPart(), sweeps);
    if (sequence) {
      parts.append(sequence.part);
      document.addEventListener("keydown", event => sequence.globalKey(event));
      sequence.layout();
    }

    """#
}

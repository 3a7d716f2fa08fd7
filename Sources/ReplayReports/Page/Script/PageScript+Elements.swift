extension PageScript {
  /// How elements are made, and what every part uses.
  static let elements = #"""
    const data = JSON.parse(document.getElementById("data").textContent);
    const main = document.getElementById("main");

    function el(name, attributes, ...children) {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(attributes || {})) {
        if (value === false || value === null || value === undefined) continue;
        if (key === "on") for (const [type, action] of Object.entries(value)) element.addEventListener(type, action);
        else element.setAttribute(key, value === true ? "" : value);
      }
      // A string becomes a text node, whatever it holds.
      for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
      return element;
    }

    const whole = new Intl.NumberFormat("en");
    function count(number, noun) { return whole.format(number) + " " + noun + (number === 1 ? "" : "s"); }

    function badge(passed) { return el("span", { class: "badge " + (passed ? "passed" : "failed") }, passed ? "✓ passed" : "✕ failed"); }

    function facts(pairs) {
      return el("dl", { class: "facts" }, pairs.map(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
    }

    // A list with its heading; a long one is folded, and of a very long one the rest is shown when asked for.
    function lines(title, texts, tone, isOpen) {
      if (!texts || texts.length === 0) return null;
      const list = el("ul", { class: "lines" });
      const step = 100;
      function more() {
        const shown = list.children.length;
        list.append(...texts.slice(shown, shown + step).map(text => el("li", null, text)));
        button.hidden = list.children.length >= texts.length;
      }
      const button = el("button", { type: "button", on: { click: more } }, "Show more");
      more();
      const part = el("details", { class: "tone-" + tone, open: isOpen }, el("summary", null, title + " (" + whole.format(texts.length) + ")"));
      part.append(list, button);
      return part;
    }

    // Seconds with milliseconds of a time in nanoseconds.
    function seconds(time) { return (time / 1e9).toFixed(3); }

    function isTyping(event) {
      const target = event.target;
      return target instanceof Element && target.matches("input, select, textarea");
    }

    """#
}

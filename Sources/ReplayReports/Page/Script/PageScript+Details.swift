extension PageScript {
  /// What is told of one row, and the table that tells all of them.
  static let details = #"""
    const ends = [["central", "peripheral"], ["peripheral", "central"], ["link", ""]];

    function directionOf(side, event) {
      const [from, to] = ends[side.sender[event]];
      return to ? from + " → " + to : from;
    }

    // A row in one sentence.
    function describe(model, row) {
      const parts = [];
      const tell = (name, side, event) => {
        if (event >= 0) parts.push(name + " at " + seconds(side.time[event]) + " s, " + directionOf(side, event) + ", " + label(side, event));
      };
      tell("recorded", model.left, model.rows[row]);
      tell("replayed", model.right, model.others[row]);
      if (differs(model, model.rows[row], model.others[row])) parts.push("the bytes differ");
      for (const remark of model.marks.get(row) || []) parts.push(remark.kind + ": " + remark.text);
      return parts.join("; ");
    }

    function pairsOf(text) { return text ? text.match(/../g) : []; }

    function visible(byte) {
      const code = parseInt(byte, 16);
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "·";
    }

    // One line of bytes, those marked that the other side does not have there.
    function byteLine(bytes, other, start, end, isText) {
      const line = el("span", { class: "mono" });
      let run = "", isMarked = false;
      const flush = () => {
        if (run && !isText && line.childNodes.length) line.append(" ");
        if (run) line.append(isMarked ? el("mark", null, run) : run);
        run = "";
      };
      bytes.slice(start, end).forEach((byte, index) => {
        const isOther = other !== null && other[start + index] !== byte;
        if (isOther !== isMarked) { flush(); isMarked = isOther; }
        run += isText ? visible(byte) : (run ? " " : "") + byte;
      });
      flush();
      return line;
    }

    const byteLimit = 512;
    function bytesPart(left, right, width) {
      const isDouble = left !== null && right !== null;
      const part = el("div", { class: "bytes" + (isDouble ? "" : " one") });
      const sides = isDouble ? [[left, right], [right, left]] : [[left || right, null]];
      const length = Math.min(Math.max(...sides.map(([bytes]) => bytes.length)), byteLimit);
      if (isDouble) part.append(el("span", { class: "place" }, ""), el("strong", null, "recorded"), el("strong", null, "replayed"));
      // As many in a line as there is room for: a byte takes some 22 pixels.
      const step = Math.max(4, Math.min(16, Math.floor((width - 80) / (isDouble ? 2 : 1) / 22 / 4) * 4));
      for (let start = 0; start < length; start += step) {
        part.append(el("span", { class: "place mono" }, String(start)));
        for (const [bytes, other] of sides) {
          part.append(el("span", null, byteLine(bytes, other, start, start + step, false), el("br"),
            el("span", { class: "shown" }, byteLine(bytes, other, start, start + step, true))));
        }
      }
      const longest = Math.max(...sides.map(([bytes]) => bytes.length));
      if (longest > byteLimit) part.append(el("span", null, ""), el("span", null, "and " + count(longest - byteLimit, "more byte")));
      return part;
    }

    function differenceText(left, right) {
      const length = Math.max(left.length, right.length);
      let number = 0, first = -1;
      for (let index = 0; index < length; index++) {
        if (left[index] !== right[index]) { number++; if (first < 0) first = index; }
      }
      return number === 0 ? "The bytes are equal." : count(number, "byte") + (number === 1 ? " differs" : " differ") + ", the first at " + first + ".";
    }

    class Details {
      constructor(back) {
        this.back = back;
        this.title = el("h3", { tabindex: "-1", id: "details-name" }, "Details");
        this.body = el("div");
        this.part = el("aside", { class: "details", id: "details", "aria-labelledby": "details-name", on: { keydown: event => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          this.back();
        } } }, this.title, this.body);
        this.clear();
      }

      clear() {
        this.title.textContent = "Details";
        this.body.replaceChildren(el("p", { class: "keys" }, "Choose an event in the drawing."));
      }

      focus() { this.title.focus(); }

      show(model, row) {
        const { left, right } = eventsOf(model, row);
        const sides = [["recorded", model.left, left], ["replayed", model.right, right]].filter(side => side[2] >= 0);
        const main = sides[0];
        this.title.textContent = wordsOf(main[1], main[2]);
        const tell = read => sides.map(([, side, event]) => el("td", null, read(side, event) || "–"));
        const rows = [["time", (side, event) => seconds(side.time[event]) + " s"], ["direction", directionOf], ["what", wordsOf],
          ["attribute", attributeOf], ["says", meaningOf], ["length", (side, event) => side.bytes[event] ? count(side.bytes[event].length / 2, "byte") : ""]];
        const remarks = [];
        for (const place of new Set(sides.map(([, side, event]) => side.row[event]))) {
          for (const remark of model.marks.get(place) || []) {
            remarks.push(el("p", { class: "mark-" + remark.kind }, symbols[remark.kind] + " " + remark.text));
          }
        }
        const bytes = sides.map(([, side, event]) => pairsOf(side.bytes[event]));
        this.body.replaceChildren(...remarks,
          el("table", null, el("thead", null, el("tr", null, el("th", { scope: "col" }, ""),
            sides.map(([name]) => el("th", { scope: "col" }, name)))),
            el("tbody", null, rows.map(([name, read]) => el("tr", null, el("th", { scope: "row" }, name), tell(read))))));
        if (sides.length === 1 && model.left && model.right) {
          this.body.append(el("p", { class: "keys" }, main[0] === "recorded" ? "Nothing corresponds to it in the replay." : "Nothing recorded corresponds to it."));
        }
        if (bytes.some(list => list.length > 0)) {
          this.body.append(el("h3", null, "Bytes"));
          if (sides.length === 2) this.body.append(el("p", { id: "difference" }, differenceText(bytes[0], bytes[1])));
          this.body.append(bytesPart(bytes[0], sides.length === 2 ? bytes[1] : null, this.part.clientWidth));
        }
      }
    }

    // The same rows as a table, a page at a time.
    class EventTable {
      constructor(jump) {
        this.jump = jump;
        this.size = 100;
        this.start = 0;
        const button = (id, text, step) => el("button", { type: "button", id, on: { click: () => this.page(this.start + step * this.size) } }, text);
        this.before = button("page-before", "◂ Previous rows", -1);
        this.after = button("page-after", "Next rows ▸", 1);
        this.place = el("output", { "aria-live": "polite" });
        this.body = el("tbody");
        this.part = el("details", { id: "table", on: { toggle: () => this.page(this.start) } },
          el("summary", null, "The same as a table"), el("div", { class: "tools" }, this.before, this.after, this.place),
          el("div", { class: "scrolls" }, el("table", null, el("thead", null, el("tr", null,
            ["row", "recorded at, s", "recorded", "replayed at, s", "replayed", "marks"].map(name => el("th", { scope: "col" }, name)))),
            this.body)));
      }

      show(model, view) {
        Object.assign(this, { model, view });
        this.page(0);
      }

      page(start) {
        const { model, view, size } = this;
        this.start = Math.min(Math.max(start, 0), Math.max(0, Math.ceil(view.length / size) - 1) * size);
        const end = Math.min(this.start + size, view.length);
        this.before.disabled = this.start === 0;
        this.after.disabled = end >= view.length;
        this.place.textContent = view.length === 0 ? "no rows" : whole.format(this.start + 1) + "–" + whole.format(end) + " of " + whole.format(view.length);
        if (!this.part.open) return void this.body.replaceChildren();
        const cells = (side, event) => event >= 0
          ? [el("td", { class: "number" }, seconds(side.time[event])), el("td", null, directionOf(side, event) + ": " + label(side, event))]
          : [el("td", null, ""), el("td", null, "")];
        this.body.replaceChildren(...view.slice(this.start, end).map(row => el("tr", null,
          el("td", { class: "number" }, el("button", { type: "button", on: { click: () => this.jump(row) } }, String(row + 1))),
          cells(model.left, model.rows[row]), cells(model.right, model.others[row]),
          el("td", null, [...(differs(model, model.rows[row], model.others[row]) ? ["≠ the bytes differ"] : []),
            ...(model.marks.get(row) || []).map(remark => symbols[remark.kind] + " " + remark.text)].join("; ")))));
      }
    }

    """#
}

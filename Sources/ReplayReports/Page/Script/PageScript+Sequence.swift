extension PageScript {
  /// The part with the drawing: its tools, its keys, and the list that stands for it where nobody looks at drawings.
  static let sequence = #"""
    const heights = { least: 0.02, most: 64, usual: 30, total: 15000000 };

    class Sequence {
      constructor() {
        this.filter = { text: "", attribute: -1, kinds: new Set(), onlyMarked: false };
        this.picked = -1;
        this.view = [];
        this.build();
        this.drawing = new Drawing(this.canvas, this.scroller);
        this.open(0);
        new ResizeObserver(() => this.layout()).observe(this.scroller);
        document.addEventListener("themechange", () => {
          this.drawing.colours = null;
          this.timescale.restyle();
          this.strip();
          this.schedule();
        });
      }

      build() {
        const button = (id, text, name, action) =>
          el("button", { type: "button", id, "aria-label": name, title: name, on: { click: action } }, text);
        this.choice = el("select", { id: "timeline", on: { change: () => this.open(Number(this.choice.value)) } },
          [...data.runs, ...data.recordings].filter(run => run.timelines && run.timelines.length > 0).map(run =>
            el("optgroup", { label: run.name }, run.timelines.map(index => el("option", { value: index }, data.timelines[index].name)))));
        this.search = el("input", { type: "search", id: "filter", placeholder: "text, UUID or bytes", autocomplete: "off", spellcheck: "false",
          on: { input: () => this.refilter({ text: this.search.value }) } });
        this.attribute = el("select", { id: "attribute", on: { change: () => this.refilter({ attribute: Number(this.attribute.value) }) } });
        this.chips = el("fieldset", { class: "chips" });
        this.onlyMarked = el("button", { type: "button", id: "only-marked", "aria-pressed": "false", on: { click: () => {
          const isOn = !this.filter.onlyMarked;
          this.onlyMarked.setAttribute("aria-pressed", String(isOn));
          this.refilter({ onlyMarked: isOn });
        } } }, "Marked only");
        this.counts = el("output", { id: "counts", "aria-live": "polite" });
        this.canvas = el("canvas", { "aria-hidden": "true" });
        this.spacer = el("div", { "aria-hidden": "true" });
        this.options = el("div", { class: "hidden", role: "presentation" });
        this.scroller = el("div", { class: "scroller", id: "drawing", role: "listbox", tabindex: "0",
          "aria-label": "Events, recorded and replayed", "aria-describedby": "keys", on: {
            scroll: () => this.schedule(), keydown: event => this.key(event), click: event => this.click(event),
            focus: () => { if (this.picked < 0 && this.view.length > 0) this.pick(this.topPlace()); } } },
          this.options, this.canvas, this.spacer);
        this.scroller.addEventListener("wheel", event => this.wheel(event), { passive: false });
        this.stripCanvas = el("canvas", { class: "strip", id: "strip", "aria-hidden": "true", on: { click: event => this.clickStrip(event) } });
        this.timescale = new Timescale(row => this.centre(placeIn(this.view, row)), step => this.pick(this.picked < 0 ? 0 : this.picked + step));
        this.timescale.whenChanged = () => this.schedule();
        this.details = new Details(() => this.scroller.focus());
        this.marks = el("ol", { class: "marks" });
        this.marksPart = el("details", { open: true, id: "marked" }, el("summary", null, "Marked places"), this.marks);
        this.tablePart = new EventTable(row => this.jump(row));
        this.part = el("section", { class: "card", id: "sequence", "aria-labelledby": "sequence-name" },
          el("h2", { id: "sequence-name" }, "Sequence"),
          el("div", { class: "tools" },
            el("label", null, "Link", this.choice), el("label", null, "Attribute", this.attribute), el("label", null, "Filter", this.search),
            this.counts),
          this.chips,
          el("div", { class: "tools" },
            button("zoom-out", "−", "Zoom out", () => this.zoom(1 / 1.5)), button("zoom-in", "+", "Zoom in", () => this.zoom(1.5)),
            button("fit", "Fit", "Fit all into view", () => this.fit()), button("zoom-reset", "1:1", "Usual size", () => this.zoomTo(heights.usual)),
            button("mark-before", "◂ Mark", "Previous marked place", () => this.toMark(-1)),
            button("mark-after", "Mark ▸", "Next marked place", () => this.toMark(1)), this.onlyMarked),
          data.leftOut > 0 ? el("p", { class: "mark-fault" }, "A page has room for so many: " + count(data.leftOut, "event") + " at the end are left out.") : "",
          this.marksPart,
          this.timescale.part,
          el("p", { class: "hidden", id: "timescale-keys" }, "Arrow keys walk over the events, plus, minus and 0 zoom."),
          el("div", { class: "viewer" }, this.scroller, this.stripCanvas, this.details.part),
          el("p", { class: "keys", id: "keys" }, el("kbd", null, "↑"), " ", el("kbd", null, "↓"), " walk, ", el("kbd", null, "Enter"),
            " details, ", el("kbd", null, "Esc"), " back, ", el("kbd", null, "["), " ", el("kbd", null, "]"), " marks, ", el("kbd", null, "+"), " ",
            el("kbd", null, "−"), " ", el("kbd", null, "0"), " zoom, ", el("kbd", null, "/"), " filter"),
          this.tablePart.part);
      }

      open(index) {
        this.model = modelOf(index);
        this.picked = -1;
        this.choice.value = String(index);
        this.filter.attribute = -1;
        this.attribute.replaceChildren(el("option", { value: -1 }, "all"),
          ...this.model.attributes.map((name, place) => el("option", { value: place }, name)));
        this.showKinds();
        const step = 200, list = this.model.list;
        this.marks.replaceChildren(...list.slice(0, step).map(remark => el("li", null,
          el("button", { type: "button", "data-row": remark.row, on: { click: () => this.jump(remark.row) } },
            el("span", { class: "mark-" + remark.kind }, symbols[remark.kind] + " " + remark.kind), " " + seconds(remark.time) + " s  " + remark.text))));
        if (list.length > step) this.marks.append(el("li", null, "and " + count(list.length - step, "more place") + "; walk them with ]"));
        this.marksPart.hidden = list.length === 0;
        this.marksPart.firstChild.textContent = "Marked places (" + whole.format(list.length) + ")";
        this.details.clear();
        this.timescale.open(this.model);
        this.refilter({});
        this.scroller.scrollTop = 0;
      }

      // Shows the first event of an entry of what was swept.
      showEntry(index, entry) {
        if (Number(this.choice.value) !== index) this.open(index);
        const event = data.timelines[index].entries.indexOf(entry);
        if (event >= 0) this.jump(this.model.left.row[event]);
      }

      showKinds() {
        const found = new Map();
        for (const side of [this.model.left, this.model.right]) {
          if (side) for (const kind of side.kind) found.set(kind, (found.get(kind) || 0) + 1);
        }
        this.filter.kinds = new Set();
        this.chips.replaceChildren(el("legend", { class: "hidden" }, "Kinds that are shown"),
          ...[...found.keys()].sort((one, other) => one - other).map(kind => {
            const chip = el("button", { type: "button", "aria-pressed": "false", "data-kind": data.kinds[kind], on: { click: () => {
              const kinds = this.filter.kinds;
              if (!kinds.delete(kind)) kinds.add(kind);
              chip.setAttribute("aria-pressed", String(kinds.has(kind)));
              this.refilter({});
            } } }, data.kinds[kind] + " " + whole.format(found.get(kind)));
            return chip;
          }));
      }

      refilter(change) {
        const row = this.picked < 0 ? -1 : this.view[this.picked];
        Object.assign(this.filter, change);
        this.view = filtered(this.model, this.filter);
        this.counts.textContent = whole.format(this.view.length) + " of " + count(this.model.rows.length, "row");
        this.picked = -1;
        if (row >= 0 && this.view.length > 0) {
          const place = placeIn(this.view, row);
          if (this.view[place] === row) this.picked = place;
        }
        // What is not shown any more is told of no more.
        if (row >= 0 && this.picked < 0) this.details.clear();
        this.timescale.filter(this.view);
        this.layout();
        if (this.picked >= 0) this.reveal(this.picked);
        this.announce();
        this.tablePart.show(this.model, this.view);
      }

      layout() {
        const height = this.scroller.clientHeight;
        const rows = Math.max(this.view.length, 1);
        this.drawing.rowHeight = Math.min(Math.max(this.drawing.rowHeight, heights.least), heights.most, heights.total / rows);
        this.spacer.style.height = Math.max(0, headHeight + rows * this.drawing.rowHeight - height) + "px";
        this.strip();
        this.schedule();
      }

      schedule() {
        if (this.isScheduled) return;
        this.isScheduled = true;
        requestAnimationFrame(() => {
          this.isScheduled = false;
          this.drawing.draw(this.model, this.view, this.picked);
          this.timescale.draw(this.rowsInView());
        });
      }

      // Rows that are in view, or enough of them to tell from when to when they go.
      rowsInView() {
        const top = this.scroller.scrollTop / this.drawing.rowHeight, room = (this.scroller.clientHeight - headHeight) / this.drawing.rowHeight;
        const first = Math.max(0, Math.floor(top)), last = Math.min(this.view.length, Math.ceil(top + room));
        const step = Math.max(1, Math.floor((last - first) / 1000)), rows = [];
        for (let place = first; place < last; place += step) rows.push(this.view[place]);
        if (last > first) rows.push(this.view[last - 1]);
        return rows;
      }

      // Where marks are in all of the view.
      strip() {
        const canvas = this.stripCanvas, height = canvas.clientHeight, scale = devicePixelRatio || 1;
        if (height === 0 || this.view.length === 0) return;
        canvas.width = Math.round(16 * scale);
        canvas.height = Math.round(height * scale);
        const context = canvas.getContext("2d"), colours = coloursOf(canvas);
        context.scale(scale, scale);
        context.fillStyle = colours.back;
        context.fillRect(0, 0, 16, height);
        for (const remark of this.model.list) {
          const place = placeIn(this.view, remark.row);
          if (this.view[place] !== remark.row) continue;
          context.fillStyle = remark.kind === "fault" ? colours.warn : colours.bad;
          context.fillRect(2, place / this.view.length * (height - 3), 12, 3);
        }
      }

      topPlace() { return Math.min(this.view.length - 1, Math.ceil(this.scroller.scrollTop / this.drawing.rowHeight)); }

      pick(place) {
        if (this.view.length === 0) return;
        this.picked = Math.min(Math.max(place, 0), this.view.length - 1);
        this.reveal(this.picked);
        this.announce();
        this.details.show(this.model, this.view[this.picked]);
        this.schedule();
      }

      reveal(place) {
        const { rowHeight } = this.drawing, room = this.scroller.clientHeight - headHeight;
        const top = place * rowHeight, now = this.scroller.scrollTop;
        if (top < now) this.scroller.scrollTop = top;
        else if (top + rowHeight > now + room) this.scroller.scrollTop = top + rowHeight - room;
      }

      // The options around the picked one, for whoever listens.
      announce() {
        const places = [this.picked - 1, this.picked, this.picked + 1].filter(place => place >= 0 && place < this.view.length);
        this.options.replaceChildren(...(this.picked < 0 ? [] : places).map(place => el("div", { role: "option", id: "option-" + place,
          "aria-selected": String(place === this.picked), "aria-posinset": place + 1, "aria-setsize": this.view.length },
          describe(this.model, this.view[place]))));
        this.timescale.pick(this.picked < 0 ? -1 : this.view[this.picked]);
        if (this.picked < 0) this.scroller.removeAttribute("aria-activedescendant");
        else this.scroller.setAttribute("aria-activedescendant", "option-" + this.picked);
      }

      jump(row) {
        let place = placeIn(this.view, row);
        if (this.view[place] !== row) {
          this.search.value = "";
          this.attribute.value = "-1";
          this.onlyMarked.setAttribute("aria-pressed", "false");
          this.showKinds();
          this.refilter({ text: "", attribute: -1, onlyMarked: false });
          place = placeIn(this.view, row);
        }
        this.scroller.focus();
        this.centre(place);
      }

      centre(place) {
        this.pick(place);
        const room = this.scroller.clientHeight - headHeight;
        this.scroller.scrollTop = (place + 0.5) * this.drawing.rowHeight - room / 2;
      }

      toMark(step) {
        const row = this.picked < 0 ? (step > 0 ? -1 : Infinity) : this.view[this.picked];
        const marked = [...this.model.marks.keys()].sort((one, other) => one - other);
        const next = step > 0 ? marked.find(mark => mark > row) : marked.findLast(mark => mark < row);
        if (next !== undefined) this.jump(next);
      }

      // Zooms around the picked row, where it is in view, or the middle.
      zoom(factor, at) { this.zoomTo(this.drawing.rowHeight * factor, at); }
      zoomTo(size, at) {
        const scroller = this.scroller, before = this.drawing.rowHeight;
        const room = scroller.clientHeight - headHeight;
        const picked = this.picked >= 0 ? (this.picked + 0.5) * before - scroller.scrollTop : -1;
        const offset = at !== undefined ? at : picked >= 0 && picked <= room ? picked : room / 2;
        const place = (scroller.scrollTop + offset) / before;
        this.drawing.rowHeight = size;
        this.layout();
        scroller.scrollTop = place * this.drawing.rowHeight - offset;
        this.scroller.dataset.rowHeight = this.drawing.rowHeight.toFixed(3);
      }
      fit() { this.zoomTo((this.scroller.clientHeight - headHeight) / Math.max(this.view.length, 1)); }

      wheel(event) {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 300), event.clientY - this.scroller.getBoundingClientRect().top - headHeight);
      }

      click(event) {
        const y = event.clientY - this.scroller.getBoundingClientRect().top - this.scroller.clientTop - headHeight;
        const place = Math.floor((y + this.scroller.scrollTop) / this.drawing.rowHeight);
        if (y >= 0 && place < this.view.length) this.pick(place);
      }

      clickStrip(event) {
        const box = this.stripCanvas.getBoundingClientRect();
        this.pick(Math.floor((event.clientY - box.top) / box.height * this.view.length));
      }

      key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const page = Math.max(1, Math.floor((this.scroller.clientHeight - headHeight) / this.drawing.rowHeight) - 1);
        const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
        if (event.key in moves) this.pick(this.picked < 0 ? 0 : this.picked + moves[event.key]);
        else if (event.key === "Enter" && this.picked >= 0) this.details.focus();
        else return;
        event.preventDefault();
      }

      // Keys that hold wherever nobody types.
      globalKey(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "Escape" && event.target === this.search) {
          this.search.value = "";
          this.refilter({ text: "" });
          this.scroller.focus();
        } else if (isTyping(event)) return;
        else if (event.key === "/") this.search.focus();
        else if (event.key === "+" || event.key === "=") this.zoom(1.5);
        else if (event.key === "-") this.zoom(1 / 1.5);
        else if (event.key === "0") this.zoomTo(heights.usual);
        else if (event.key === "]") this.toMark(1);
        else if (event.key === "[") this.toMark(-1);
        else return;
        event.preventDefault();
      }
    }

    """#
}

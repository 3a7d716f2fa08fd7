extension PageScript {
  /// The time line of a link, to scale: where its events lie, recorded and replayed, and where the rows are that are in view.
  static let timescale = #"""
    // Lanes and what stands above them, in pixels.
    const timescalePlaces = { marks: 16, lane: 24, gap: 6, axis: 18, side: 74 };

    // The distance of ticks for so much time: 1, 2 or 5 of a power of ten, or of minutes and hours what people count in.
    function tickStep(least) {
      const steps = [60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400].map(step => step * 1e9);
      if (least > 20e9) return steps.find(step => step >= least) || Math.ceil(least / 86400e9) * 86400e9;
      const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
      return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least);
    }

    function tickLabel(time, step) {
      if (step < 1e9) return (time / 1e9).toFixed(Math.min(6, Math.max(1, Math.ceil(-Math.log10(step / 1e9))))) + " s";
      const all = Math.round(time / 1e9);
      if (step < 60e9 && all < 60) return all + " s";
      const two = number => String(number).padStart(2, "0"), hours = Math.floor(all / 3600);
      return hours > 0 ? hours + ":" + two(Math.floor(all / 60) % 60) + ":" + two(all % 60) : Math.floor(all / 60) + ":" + two(all % 60);
    }

    class Timescale {
      // `jump` brings the row nearest to an event into view; `walk` goes so many rows on.
      constructor(jump, walk) {
        Object.assign(this, { jump, walk });
        this.canvas = el("canvas", { "aria-hidden": "true" });
        this.part = el("div", { class: "timescale", id: "timescale", role: "slider", tabindex: "0", "aria-label": "Place in the link's time",
          "aria-valuemin": "0", "aria-describedby": "timescale-keys", on: { keydown: event => this.key(event),
            pointerdown: event => this.grasp(event), pointermove: event => this.drag(event), dblclick: () => this.showAll() } }, this.canvas);
        for (const end of ["pointerup", "pointercancel"]) this.part.addEventListener(end, () => { this.isHeld = false; });
        this.part.addEventListener("wheel", event => this.wheel(event), { passive: false });
        this.base = document.createElement("canvas");
      }

      open(model) {
        this.model = model;
        this.sides = [["recorded", model.left], ["replayed", model.right]].filter(([, side]) => side && side.count > 0);
        let [first, last] = [0, 1e6];
        for (const [, side] of this.sides) for (const time of side.time) {
          if (time < first) first = time;
          if (time > last) last = time;
        }
        Object.assign(this, { first, last, picked: -1 });
        this.part.setAttribute("aria-valuemax", (last / 1e9).toFixed(3));
        this.part.style.height = this.height + "px";
        this.showAll();
      }

      get height() {
        const { marks, lane, gap, axis } = timescalePlaces;
        return marks + this.sides.length * (lane + gap) + axis;
      }

      // Takes what passes the filter, in rows.
      filter(view) {
        this.isShown = new Uint8Array(this.model.rows.length);
        for (const row of view) this.isShown[row] = 1;
        this.isStale = true;
      }

      restyle() { this.colours = null; this.isStale = true; }

      // Time

      showAll() { this.show(this.first, this.last); }

      show(from, to) {
        // A number tells nanoseconds of some months; of more it tells less exactly.
        const least = Math.max(1000, Math.abs(this.last) * 1e-12, Math.abs(this.first) * 1e-12);
        const span = Math.min(Math.max(to - from, least), this.last - this.first);
        this.from = Math.min(Math.max(from, this.first), this.last - span);
        this.to = this.from + span;
        this.part.dataset.seconds = ((this.to - this.from) / 1e9).toFixed(6);
        this.isStale = true;
        if (this.whenChanged) this.whenChanged();
      }

      zoom(factor, at) {
        const time = at === undefined ? (this.pickedTime() ?? (this.from + this.to) / 2) : at;
        const share = Math.min(Math.max((time - this.from) / (this.to - this.from), 0), 1), span = (this.to - this.from) / factor;
        this.show(time - share * span, time + (1 - share) * span);
      }

      x(time) { return timescalePlaces.side + (time - this.from) / (this.to - this.from) * (this.width - timescalePlaces.side - 8); }
      timeAt(x) {
        const share = (x - timescalePlaces.side) / (this.width - timescalePlaces.side - 8);
        return this.from + Math.min(Math.max(share, 0), 1) * (this.to - this.from);
      }

      // Of a row, the time of the side that a pointer is at, or of any.
      timeOf(row, place = 0) {
        const { left, right } = eventsOf(this.model, row);
        const times = [left >= 0 ? this.model.left.time[left] : null, right >= 0 ? this.model.right.time[right] : null];
        return times[place] ?? times[1 - place];
      }
      pickedTime() { return this.picked < 0 ? null : this.timeOf(this.picked); }

      // What is picked or in view

      pick(row) {
        this.picked = row;
        const time = row < 0 ? null : this.timeOf(row);
        if (time === null) {
          this.part.removeAttribute("aria-valuenow");
          this.part.setAttribute("aria-valuetext", "nothing chosen");
          return;
        }
        this.part.setAttribute("aria-valuenow", (time / 1e9).toFixed(3));
        this.part.setAttribute("aria-valuetext", describe(this.model, row));
        const span = this.to - this.from;
        if (time < this.from || time > this.to) this.show(time - span / 2, time + span / 2);
      }

      // Draws; `rows` are the first and the last that are in view.
      draw(rows) {
        this.measure();
        if (this.width <= 0) return;
        if (this.isStale) this.drawBase();
        const context = this.canvas.getContext("2d"), { marks, lane, gap } = timescalePlaces;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.drawImage(this.base, 0, 0);
        context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
        context.save();
        context.beginPath();
        context.rect(timescalePlaces.side, 0, this.width, this.height);
        context.clip();
        this.sides.forEach(([, side], place) => {
          const y = marks + place * (lane + gap), events = side === this.model.left ? this.model.rows : this.model.others;
          let [from, to] = [Infinity, -Infinity];
          // Rows that are in view have their times in order, but for a few.
          for (const row of rows) {
            const event = events[row] >= 0 ? events[row] : -1, time = event >= 0 ? side.time[event] : this.timeOf(row, place);
            if (time !== null) [from, to] = [Math.min(from, time), Math.max(to, time)];
          }
          if (from <= to) {
            context.strokeStyle = this.colours.accent;
            context.lineWidth = 1.5;
            context.globalAlpha = 1;
            const left = this.x(from) - 2, width = Math.max(this.x(to) - this.x(from) + 4, 5);
            context.strokeRect(left, y - 1.5, width, lane + 3);
            context.globalAlpha = 0.12;
            context.fillStyle = this.colours.accent;
            context.fillRect(left, y - 1.5, width, lane + 3);
            context.globalAlpha = 1;
          }
          if (this.picked < 0) return;
          const pair = eventsOf(this.model, this.picked), event = side === this.model.left ? pair.left : pair.right;
          if (event === undefined || event < 0) return;
          context.fillStyle = this.colours.accent;
          context.fillRect(this.x(side.time[event]) - 1.25, y - 3, 2.5, lane + 6);
        });
        context.restore();
      }

      measure() {
        const width = this.part.clientWidth, scale = devicePixelRatio || 1, height = this.height;
        if (this.width === width && this.scale === scale && this.drawnHeight === height) return;
        Object.assign(this, { width, scale, drawnHeight: height, isStale: true });
        for (const canvas of [this.canvas, this.base]) {
          canvas.width = Math.round(width * scale);
          canvas.height = Math.round(height * scale);
        }
        this.canvas.style.width = width + "px";
        this.canvas.style.height = height + "px";
      }

      // All that changes only with the filter, the zoom and the size.
      drawBase() {
        this.isStale = false;
        this.colours = this.colours || coloursOf(this.canvas);
        const context = this.base.getContext("2d"), { colours, width, height } = this, { marks, lane, gap } = timescalePlaces;
        context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
        context.fillStyle = colours.panel;
        context.fillRect(0, 0, width, height);
        this.axis(context);
        this.sides.forEach(([name, side], place) => {
          const y = marks + place * (lane + gap);
          context.fillStyle = colours.back;
          context.fillRect(timescalePlaces.side, y, width - timescalePlaces.side, lane);
          context.fillStyle = colours.muted;
          context.font = "12px system-ui, sans-serif";
          context.textAlign = "left";
          context.textBaseline = "middle";
          context.fillText(name, 6, y + lane / 2);
          this.lane(context, side, y);
        });
        this.remarks(context);
      }

      axis(context) {
        const { colours, width, height } = this, room = width - timescalePlaces.side - 8;
        const step = tickStep((this.to - this.from) / Math.max(room / 80, 1)), y = height - timescalePlaces.axis;
        context.fillStyle = colours.muted;
        context.strokeStyle = colours.line;
        context.lineWidth = 1;
        context.font = "11px ui-monospace, Menlo, Consolas, monospace";
        context.textBaseline = "middle";
        for (let number = Math.ceil(this.from / step); number * step <= this.to; number++) {
          const x = Math.round(this.x(number * step)) + 0.5, label = tickLabel(number * step, step);
          context.beginPath();
          context.moveTo(x, timescalePlaces.marks);
          context.lineTo(x, y + 3);
          context.stroke();
          const size = context.measureText(label).width;
          context.textAlign = "left";
          context.fillText(label, Math.min(Math.max(x - size / 2, 2), width - size - 2), y + 10);
        }
      }

      // What the central sent grows upwards from the middle, what the peripheral sent downwards: the higher the more there is at a place.
      lane(context, side, y) {
        const { colours, isShown } = this, columns = Math.max(1, Math.ceil(this.width)), half = timescalePlaces.lane / 2;
        const shown = [new Uint32Array(columns), new Uint32Array(columns), new Uint32Array(columns)];
        const hidden = new Uint8Array(columns);
        for (let event = 0; event < side.count; event++) {
          const time = side.time[event];
          if (time < this.from || time > this.to) continue;
          const column = Math.min(columns - 1, Math.floor(this.x(time)));
          if (isShown[side.row[event]]) shown[side.sender[event]][column]++; else hidden[column] = 1;
        }
        let most = 1;
        for (let column = 0; column < columns; column++) most = Math.max(most, shown[0][column], shown[1][column]);
        const size = number => 4 + (half - 5) * (most > 1 ? Math.log(number) / Math.log(most) : 1);
        for (let column = 0; column < columns; column++) {
          const put = (colour, top, height) => { context.fillStyle = colour; context.fillRect(column, top, 1.5, height); };
          if (hidden[column] && !shown[0][column] && !shown[1][column]) put(colours.line, y + half - 3, 6);
          if (shown[2][column]) put(colours.link, y + 2, timescalePlaces.lane - 4);
          if (shown[0][column]) put(colours.central, y + half - size(shown[0][column]), size(shown[0][column]));
          if (shown[1][column]) put(colours.peripheral, y + half, size(shown[1][column]));
        }
      }

      // Each place has one symbol, the worst of those that lie there.
      remarks(context) {
        const { colours } = this, ranks = { divergence: 2, misuse: 1, fault: 0 }, places = new Map();
        for (const remark of this.model.list) {
          if (remark.time < this.from || remark.time > this.to) continue;
          const place = Math.round(this.x(remark.time) / 10), known = places.get(place);
          if (!known || ranks[remark.kind] > ranks[known.kind]) places.set(place, remark);
        }
        context.font = "bold 12px system-ui, sans-serif";
        context.textAlign = "center";
        context.textBaseline = "middle";
        for (const remark of places.values()) {
          context.fillStyle = remark.kind === "fault" ? colours.warn : colours.bad;
          context.fillText(symbols[remark.kind], this.x(remark.time), timescalePlaces.marks / 2);
        }
      }

      // Hands and keys

      // The row that lies nearest to a place, of those that pass the filter.
      nearest(event) {
        const box = this.part.getBoundingClientRect(), time = this.timeAt(event.clientX - box.left);
        const { marks, lane, gap } = timescalePlaces;
        const place = Math.min(Math.max(Math.floor((event.clientY - box.top - marks) / (lane + gap)), 0), this.sides.length - 1);
        const side = this.sides[place] && this.sides[place][1];
        let best = -1, distance = Infinity;
        for (let event = 0; side && event < side.count; event++) {
          const way = Math.abs(side.time[event] - time);
          if (way < distance && this.isShown[side.row[event]]) [best, distance] = [side.row[event], way];
        }
        return best;
      }

      grasp(event) {
        if (event.button !== 0) return;
        this.isHeld = true;
        this.part.setPointerCapture(event.pointerId);
        this.drag(event);
      }

      drag(event) {
        if (!this.isHeld) return;
        const row = this.nearest(event);
        if (row >= 0 && row !== this.picked) this.jump(row);
      }

      wheel(event) {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 300), this.timeAt(event.clientX - this.part.getBoundingClientRect().left));
      }

      key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const walks = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20, Home: -Infinity, End: Infinity };
        if (event.key in walks) this.walk(walks[event.key]);
        else if (event.key === "+" || event.key === "=") this.zoom(1.5);
        else if (event.key === "-") this.zoom(1 / 1.5);
        else if (event.key === "0") this.showAll();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }
    }

    """#
}

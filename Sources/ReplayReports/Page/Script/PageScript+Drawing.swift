extension PageScript {
  /// The drawing of what is visible, on a canvas.
  static let drawing = #"""
    const headHeight = 40;
    const symbols = { divergence: "◆", fault: "⚡", misuse: "!" };

    function coloursOf(element) {
      const style = getComputedStyle(element);
      const colours = {};
      for (const name of ["panel", "back", "ink", "muted", "line", "accent", "bad", "warn", "warn-back", "bad-back", "pick", "central",
        "peripheral", "link"]) colours[name] = style.getPropertyValue("--" + name).trim();
      return colours;
    }

    // Where lifelines stand, for so wide a drawing.
    function geometry(width, isDouble) {
      const isNarrow = width < 520, gutter = isNarrow ? 52 : 62;
      if (!isDouble) return { left: [gutter + 8, width - 40], right: null, middle: width - 20, isNarrow };
      const gap = width < 640 ? 30 : 44;
      // Where there is little room, one time a row has to do.
      const edge = isNarrow ? 0 : gutter, panel = (width - gutter - edge - gap) / 2;
      return { left: [gutter + 8, gutter + panel - 8], right: [gutter + panel + gap + 8, width - edge - 8],
        middle: gutter + panel + gap / 2, isNarrow };
    }

    function fit(context, text, width) {
      if (width < 12) return "";
      let size = context.measureText(text).width;
      if (size <= width) return text;
      let length = Math.max(0, Math.floor(text.length * (width - 10) / size));
      while (length > 0 && context.measureText(text.slice(0, length) + "…").width > width) length--;
      return length > 0 ? text.slice(0, length) + "…" : "";
    }

    // Words, attribute and value in so much room. Where it is not enough, the arrow has to do for the words of what carries a value; then
    // the attribute's name is cut, since its neighbours have it, too.
    function fitLabel(context, [words, attribute, value], width) {
      const join = parts => parts.filter(part => part).join(" · ");
      const all = join([words, attribute, value]);
      if (!attribute || !value || context.measureText(all).width <= width) return fit(context, all, width);
      const over = context.measureText(join([attribute, value])).width - width;
      if (over <= 0) return join([attribute, value]);
      const keep = Math.floor(attribute.length * (1 - (over + 12) / context.measureText(attribute).width));
      return fit(context, join([attribute.slice(0, Math.max(keep, 10)) + "…", value]), width);
    }

    class Drawing {
      constructor(canvas, scroller) {
        this.canvas = canvas;
        this.scroller = scroller;
        this.context = canvas.getContext("2d", { alpha: false });
        this.rowHeight = 30;
      }

      // Takes the scroller's size, and the screen's resolution.
      measure() {
        const width = this.scroller.clientWidth, height = this.scroller.clientHeight, scale = devicePixelRatio || 1;
        if (this.width === width && this.height === height && this.scale === scale) return;
        Object.assign(this, { width, height, scale });
        this.canvas.width = Math.round(width * scale);
        this.canvas.height = Math.round(height * scale);
        // Whole pixels, so that a screen's match the drawing's.
        this.canvas.style.width = width + "px";
        this.canvas.style.height = height + "px";
      }

      draw(model, view, picked) {
        this.measure();
        const { context, width, height, rowHeight } = this;
        const colours = this.colours || (this.colours = coloursOf(this.canvas));
        const top = this.scroller.scrollTop;
        context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
        context.fillStyle = colours.panel;
        context.fillRect(0, 0, width, height);
        this.places = geometry(width, model.left && model.right);
        const first = Math.max(0, Math.floor(top / rowHeight) - 1);
        const last = Math.min(view.length - 1, Math.ceil((top + height - headHeight) / rowHeight));
        // Where rows are thinner than what can be seen, some stand for all; marked ones are always drawn.
        const step = Math.max(1, Math.floor(0.6 / rowHeight));
        const y = place => headHeight + place * rowHeight - top;
        for (const place of this.lifelines()) this.line(place, headHeight, place, height, colours.line, 1);
        for (let place = first; place <= last; place++) {
          if (place % step !== 0 && place !== picked && !model.marks.has(view[place])) continue;
          this.row(model, view, place, y(place), place === picked);
        }
        if (last >= first) this.joins(model, view, y, view[first], view[last]);
        this.head(model);
      }

      lifelines() { return [...this.places.left, ...(this.places.right || [])]; }

      line(x1, y1, x2, y2, colour, width, dash) {
        const context = this.context;
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.setLineDash(dash || []);
        context.beginPath();
        context.moveTo(x1, y1);
        context.lineTo(x2, y2);
        context.stroke();
      }

      row(model, view, place, y, isPicked) {
        const { context, colours, places, rowHeight, width } = this;
        const row = view[place], left = model.rows[row], right = model.others[row];
        const remarks = model.marks.get(row);
        const isOther = differs(model, left, right);
        const back = isPicked ? colours.pick : remarks && remarks[0].kind !== "fault" ? colours["bad-back"]
          : isOther || remarks ? colours["warn-back"] : null;
        if (back) {
          context.fillStyle = back;
          context.fillRect(0, y, width, Math.max(rowHeight, 1.5));
        }
        if (back && rowHeight > 3) for (const line of this.lifelines()) this.line(line, y, line, y + rowHeight, colours.line, 1);
        if (left >= 0) this.event(model.left, left, places.left, y, 6, "left");
        if (right >= 0) {
          const isAtLeft = !places.right || places.isNarrow;
          this.event(model.right, right, places.right || places.left, y, isAtLeft ? 6 : width - 6, isAtLeft ? "left" : "right",
            left >= 0 && isAtLeft);
        }
        if (rowHeight >= 20) this.gap(model, view, place, y);
        this.middle(remarks, isOther, left >= 0 && right >= 0, y);
        if (isPicked) {
          context.strokeStyle = colours.accent;
          context.lineWidth = 2;
          context.setLineDash([]);
          context.strokeRect(1, y + 1, width - 2, Math.max(rowHeight - 2, 2));
        }
      }

      event(side, event, [from, to], y, timeX, align, isUntimed) {
        const { context, colours, rowHeight } = this;
        const sender = side.sender[event], kind = data.kinds[side.kind[event]];
        const colour = ["error", "misuse"].includes(kind) ? colours.bad : kind === "fault" ? colours.warn : kind === "link" ? colours.link
          : sender === 0 ? colours.central : colours.peripheral;
        const hasText = rowHeight >= 14, isRoomy = rowHeight >= 25;
        const lineY = isRoomy ? y + rowHeight - 7 : y + rowHeight / 2;
        if (sender === 2) this.line(from, lineY, to, lineY, colour, 1, [2, 3]);
        else this.arrow(sender === 0 ? from : to, sender === 0 ? to : from, lineY, colour);
        if (!hasText) return;
        context.font = "12px system-ui, sans-serif";
        context.textBaseline = "middle";
        context.textAlign = "center";
        const text = fitLabel(context, shortLabel(side, event), Math.abs(to - from) - 12);
        const textY = isRoomy ? lineY - 9 : lineY;
        if (!isRoomy) {
          const size = context.measureText(text).width + 8;
          context.fillStyle = colours.panel;
          context.fillRect((from + to) / 2 - size / 2, lineY - 6, size, 12);
        }
        context.fillStyle = ["error", "misuse"].includes(kind) ? colours.bad : kind === "fault" ? colours.warn : colours.ink;
        context.fillText(text, (from + to) / 2, textY);
        if (isUntimed) return;
        context.fillStyle = colours.muted;
        context.textAlign = align;
        context.font = "11px ui-monospace, Menlo, Consolas, monospace";
        context.fillText(seconds(side.time[event]), timeX, lineY);
      }

      arrow(from, to, y, colour) {
        const { context, rowHeight } = this;
        this.line(from, y, to, y, colour, rowHeight < 4 ? Math.max(rowHeight * 0.6, 0.5) : 1.4);
        if (rowHeight < 7) return;
        const size = Math.min(5, rowHeight / 2.5), back = to > from ? -1 : 1;
        context.fillStyle = colour;
        context.beginPath();
        context.moveTo(to, y);
        context.lineTo(to + back * size * 1.6, y - size);
        context.lineTo(to + back * size * 1.6, y + size);
        context.fill();
      }

      // Time that passed without anything, folded into a line.
      gap(model, view, place, y) {
        if (place === 0) return;
        const { context, colours, places } = this;
        const sides = [[model.left, model.rows, places.left], [model.right, model.others, places.right || places.left]];
        for (const [side, events, [from, to]] of sides) {
          const now = events[view[place]], before = events[view[place - 1]];
          if (!side || now === undefined || now < 0 || before < 0) continue;
          const pause = side.time[now] - side.time[before];
          if (pause < 1e9) continue;
          this.line(from, y, to, y, colours.line, 1, [1, 4]);
          context.font = "10px system-ui, sans-serif";
          context.textAlign = "left";
          context.textBaseline = "middle";
          const text = "⋮ " + (pause / 1e9).toFixed(1) + " s";
          context.fillStyle = colours.muted;
          context.fillText(text, from + 6, y + 7);
        }
      }

      middle(remarks, isOther, isJoined, y) {
        const { context, colours, places, rowHeight } = this;
        const symbol = remarks ? symbols[remarks[0].kind] : isOther ? "≠" : "";
        const centre = y + rowHeight / 2;
        if (isJoined && places.right && rowHeight >= 4) {
          this.line(places.left[1] + 8, centre, places.right[0] - 8, centre, colours.line, 1, isOther ? [3, 3] : []);
        }
        if (!symbol) return;
        context.fillStyle = remarks && remarks[0].kind !== "fault" ? colours.bad : colours.warn;
        if (rowHeight < 12) return void context.fillRect(places.middle - 6, y, 12, Math.max(rowHeight, 2));
        context.font = "bold 13px system-ui, sans-serif";
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText(symbol, places.middle, centre);
      }

      // Lines between what corresponds and does not stand in one row.
      joins(model, view, y, firstRow, lastRow) {
        const { colours, places } = this;
        if (!places.right || model.isFar.length === 0) return;
        const placeOf = row => {
          const place = placeIn(view, row);
          return view[place] === row ? y(place) + this.rowHeight / 2 : null;
        };
        let drawn = 0;
        for (const event of model.isFar) {
          const leftRow = model.left.row[event], rightRow = model.right.row[model.partners[event]];
          if (Math.max(leftRow, rightRow) < firstRow || Math.min(leftRow, rightRow) > lastRow) continue;
          const one = placeOf(leftRow), other = placeOf(rightRow);
          if (one === null || other === null) continue;
          this.line(places.left[1] + 4, one, places.right[0] - 4, other, colours.muted, 1, [3, 3]);
          if (++drawn > 400) return;
        }
      }

      head(model) {
        const { context, colours, places, width } = this;
        context.fillStyle = colours.back;
        context.fillRect(0, 0, width, headHeight);
        this.line(0, headHeight - 0.5, width, headHeight - 0.5, colours.line, 1);
        context.textBaseline = "middle";
        const heads = places.right ? [[places.left, "Recorded"], [places.right, "Replayed"]]
          : [[places.left, model.left ? "Recorded" : "Replayed"]];
        for (const [[from, to], title] of heads) {
          context.textAlign = "center";
          context.font = "bold 12px system-ui, sans-serif";
          context.fillStyle = colours.ink;
          context.fillText(title, (from + to) / 2, 12);
          context.font = "12px system-ui, sans-serif";
          context.fillStyle = colours.muted;
          context.textAlign = "left";
          const isTight = to - from < 120;
          context.fillText(isTight ? "C" : "Central", from - 8, 28);
          context.textAlign = "right";
          context.fillText(isTight ? "P" : "Peripheral", to + 8, 28);
        }
        context.fillStyle = colours.muted;
        context.textAlign = "left";
        context.fillText("s", 6, 28);
      }
    }

    """#
}

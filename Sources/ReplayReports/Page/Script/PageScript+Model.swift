extension PageScript {
  /// A timeline as the drawing needs it, and the filter.
  static let model = #"""
    const models = new Map();

    function sideOf(raw, timeline) {
      if (!raw) return null;
      let time = 0;
      return {
        time: Float64Array.from(raw.t, step => (time += step)), sender: raw.d, kind: raw.k, attribute: raw.a, words: raw.w,
        meaning: raw.m, bytes: raw.b, count: raw.t.length, row: new Int32Array(raw.t.length), hay: [], timeline,
      };
    }

    function modelOf(index) {
      if (models.has(index)) return models.get(index);
      const raw = data.timelines[index];
      const model = { name: raw.name, attributes: raw.attributes.map(pair => pair[0]), shorts: raw.attributes.map(pair => pair[1]), strings: raw.strings, rows: raw.rows, others: raw.others,
        partners: raw.partners, marks: new Map(), list: [], isFar: [] };
      model.left = sideOf(raw.recorded, model);
      model.right = sideOf(raw.replayed, model);
      model.rows.forEach((event, row) => { if (event >= 0) model.left.row[event] = row; });
      model.others.forEach((event, row) => { if (event >= 0) model.right.row[event] = row; });
      model.partners.forEach((other, event) => {
        if (other >= 0 && model.right.row[other] !== model.left.row[event]) model.isFar.push(event);
      });
      for (const [mark, isReplayed, event, text] of raw.remarks) {
        const side = isReplayed ? model.right : model.left;
        if (!side || event >= side.count) continue;
        const remark = { kind: data.marks[mark], text, row: side.row[event], time: side.time[event] };
        model.list.push(remark);
        if (!model.marks.has(remark.row)) model.marks.set(remark.row, []);
        model.marks.get(remark.row).push(remark);
      }
      model.list.sort((one, other) => one.row - other.row);
      models.set(index, model);
      return model;
    }

    // The events of a row, each with the one that corresponds to it, wherever that stands.
    function eventsOf(model, row) {
      let left = model.rows[row], right = model.others[row];
      if (left >= 0 && right < 0) right = model.partners[left];
      else if (right >= 0 && left < 0 && model.left) left = partnerOf(model, right);
      return { left, right };
    }

    function partnerOf(model, right) {
      if (!model.back) {
        model.back = new Int32Array(model.right.count).fill(-1);
        model.partners.forEach((other, event) => { if (other >= 0) model.back[other] = event; });
      }
      return model.back[right];
    }

    function attributeOf(side, event) {
      const place = side.attribute[event];
      return place < 0 ? "" : side.timeline.attributes[place];
    }

    function meaningOf(side, event) {
      const place = side.meaning[event];
      return place < 0 ? "" : side.timeline.strings[place];
    }

    function wordsOf(side, event) { return side.timeline.strings[side.words[event]]; }

    // The value that a PDU carries, by the length of what stands before it.
    const valueStarts = { "0b": 1, "0d": 1, "12": 3, "1b": 3, "1d": 3, "52": 3 };
    function valueOf(side, event) {
      const bytes = side.bytes[event], start = valueStarts[bytes.slice(0, 2)];
      return start === undefined ? "" : bytes.slice(2 * start);
    }

    function label(side, event) {
      return [wordsOf(side, event), attributeOf(side, event), meaningOf(side, event) || valueOf(side, event)].filter(part => part).join(" · ");
    }

    // The same for where there is little room.
    function shortLabel(side, event) {
      const place = side.attribute[event];
      return [wordsOf(side, event).replace("Handle Value ", ""), place < 0 ? "" : side.timeline.shorts[place],
        meaningOf(side, event) || valueOf(side, event).slice(0, 80)];
    }

    // Whether what both sides have in a row is not the same.
    function differs(model, left, right) {
      return left >= 0 && right >= 0 && model.left.bytes[left] !== model.right.bytes[right]
        && data.kinds[model.left.kind[left]] !== "discovery";
    }

    function hayOf(side, event) {
      let hay = side.hay[event];
      if (hay === undefined) {
        hay = (wordsOf(side, event) + " " + attributeOf(side, event) + " " + meaningOf(side, event) + " " + side.bytes[event]).toLowerCase();
        side.hay[event] = hay;
      }
      return hay;
    }

    function filtered(model, filter) {
      const terms = filter.text.toLowerCase().split(/\s+/).filter(term => term);
      const passes = (side, event) => event >= 0
        && (filter.attribute < 0 || side.attribute[event] === filter.attribute)
        && (filter.kinds.size === 0 || filter.kinds.has(side.kind[event]))
        && terms.every(term => hayOf(side, event).includes(term));
      const all = model.rows.length, view = [];
      for (let row = 0; row < all; row++) {
        if (filter.onlyMarked && !model.marks.has(row)) continue;
        if (passes(model.left, model.rows[row]) || passes(model.right, model.others[row])) view.push(row);
      }
      return view;
    }

    // The place of a row in a view, or of the next one that is in it.
    function placeIn(view, row) {
      let low = 0, high = view.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (view[middle] < row) low = middle + 1; else high = middle;
      }
      return Math.min(low, view.length - 1);
    }

    """#
}

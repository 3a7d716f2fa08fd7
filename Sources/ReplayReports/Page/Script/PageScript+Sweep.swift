extension PageScript {
  /// The map of a sweep's points.
  static let sweep = #"""
    const outcomeClasses = ["passed", "failed", "trapped", "notReached", "skipped"];
    const outcomeSymbols = ["✓", "✕", "☠", "○", "·"];

    class SweepMap {
      constructor(sweep, index) {
        this.sweep = sweep;
        this.away = new Set();
        this.id = "sweep-" + index;
        this.chips = el("fieldset", { class: "chips" }, el("legend", { class: "hidden" }, "Outcomes that are shown"),
          sweep.outcomes.map(([title, words, number], outcome) => {
            const chip = el("button", { type: "button", "aria-pressed": "true", title: words, "data-outcome": outcomeClasses[outcome],
              on: { click: () => this.toggle(outcome, chip) } }, outcomeSymbols[outcome] + " " + title + " " + whole.format(number));
            return chip;
          }));
        this.counts = el("output", { class: "keys", "aria-live": "polite" });
        this.cells = sweep.points.map((point, place) => el("div", { class: "cell " + outcomeClasses[point[1]], role: "option",
          id: this.id + "-" + place, "aria-selected": "false", "data-place": place,
          "aria-label": "point " + point[0] + ", " + sweep.outcomes[point[1]][0] + ": " + point[3] + ", " + point[2],
          title: point[3] + " – " + point[2] }, el("b", { "aria-hidden": "true" }, outcomeSymbols[point[1]]), String(point[0])));
        this.map = el("div", { class: "map", role: "listbox", tabindex: "0", "aria-label": "Fault points of " + sweep.name,
          on: { keydown: event => this.key(event), click: event => this.click(event), focus: () => { if (this.picked === undefined) this.move(0, 1); } } },
          this.cells);
        this.title = el("h3", { tabindex: "-1", id: this.id + "-details-name" }, "Point");
        this.body = el("div", null, el("p", { class: "keys" }, "Choose a point of the map."));
        this.details = el("aside", { class: "sweep-details", "aria-labelledby": this.id + "-details-name", on: { keydown: event => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          this.map.focus();
        } } }, this.title, this.body);
        this.part = el("section", { class: "card sweep", "aria-labelledby": this.id + "-name" },
          el("h2", { id: this.id + "-name" }, "Sweep of " + sweep.name + " ", badge(sweep.passed)),
          facts([["points", whole.format(sweep.points.length) + " of " + whole.format(sweep.count)], ["seed", sweep.seed]]),
          this.chips, this.counts, this.map, this.details);
        this.tell();
      }

      isShown(place) { return !this.away.has(this.sweep.points[place][1]); }

      tell() {
        const shown = this.sweep.points.filter((_, place) => this.isShown(place)).length;
        this.counts.textContent = whole.format(shown) + " of " + count(this.sweep.points.length, "point") + " shown";
      }

      toggle(outcome, chip) {
        if (!this.away.delete(outcome)) this.away.add(outcome);
        chip.setAttribute("aria-pressed", String(!this.away.has(outcome)));
        this.sweep.points.forEach((point, place) => {
          if (point[1] === outcome) this.cells[place].classList.toggle("away", this.away.has(outcome));
        });
        this.tell();
      }

      pick(place) {
        if (this.picked !== undefined) this.cells[this.picked].setAttribute("aria-selected", "false");
        this.picked = place;
        const cell = this.cells[place];
        cell.setAttribute("aria-selected", "true");
        this.map.setAttribute("aria-activedescendant", cell.id);
        const top = cell.offsetTop, bottom = top + cell.offsetHeight;
        if (top < this.map.scrollTop) this.map.scrollTop = top - 6;
        else if (bottom > this.map.scrollTop + this.map.clientHeight) this.map.scrollTop = bottom - this.map.clientHeight + 6;
        const [number, outcome, fault, name, failures, verdict, time, entry] = this.sweep.points[place];
        const [title, words] = this.sweep.outcomes[outcome];
        this.title.textContent = "Point " + number + ": " + outcomeSymbols[outcome] + " " + title;
        this.body.replaceChildren(facts([["stands at", name], ["fault", fault], ["outcome", words], ["took", time.toFixed(3) + " s"]]),
          this.place(entry), lines("Failures", failures, "bad", true) || "", verdict ? el("h3", null, "Verdict") : "", verdict ? el("pre", { class: "mono" }, verdict) : "");
      }

      // The way to the entry that a point stands at, where that is drawn.
      place([peripheral, session, entry]) {
        const index = data.timelines.findIndex(({ swept }) => swept && swept[0] === peripheral && swept[1] === session);
        if (index < 0) return "";
        return el("button", { type: "button", class: "to-sequence", on: { click: () => {
          sequence.showEntry(index, entry);
          sequence.part.scrollIntoView();
        } } }, "Show in the sequence");
      }

      // The next point that is shown, from a place on and in a direction.
      move(place, step) {
        while (place >= 0 && place < this.cells.length && !this.isShown(place)) place += step;
        if (place >= 0 && place < this.cells.length) this.pick(place);
      }

      // The shown cell nearest below or above.
      moveLine(step) {
        const now = this.cells[this.picked];
        let best = -1, line = null, distance = Infinity;
        for (let place = this.picked + step; place >= 0 && place < this.cells.length; place += step) {
          if (!this.isShown(place)) continue;
          const cell = this.cells[place];
          if (cell.offsetTop === now.offsetTop) continue;
          if (line === null) line = cell.offsetTop;
          if (cell.offsetTop !== line) break;
          const way = Math.abs(cell.offsetLeft - now.offsetLeft);
          if (way < distance) { distance = way; best = place; }
        }
        if (best >= 0) this.pick(best);
      }

      key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const place = this.picked === undefined ? -1 : this.picked;
        switch (event.key) {
        case "ArrowRight": this.move(place + 1, 1); break;
        case "ArrowLeft": this.move(place - 1, -1); break;
        case "ArrowDown": if (place >= 0) this.moveLine(1); break;
        case "ArrowUp": if (place >= 0) this.moveLine(-1); break;
        case "Home": this.move(0, 1); break;
        case "End": this.move(this.cells.length - 1, -1); break;
        case "Enter": case " ": if (place >= 0) this.title.focus(); break;
        default: return;
        }
        event.preventDefault();
      }

      click(event) {
        const cell = event.target.closest(".cell");
        if (cell) this.pick(Number(cell.dataset.place));
      }
    }

    """#
}

extension PageScript {
  /// The heading, and what came of each run.
  static let summary = #"""
    function isDark() {
      const chosen = document.documentElement.dataset.theme;
      return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    }
    function themeSwitch() {
      const button = el("button", { type: "button", id: "theme" });
      function name() {
        button.textContent = isDark() ? "☀ Light" : "☾ Dark";
        button.setAttribute("aria-label", "Switch to " + (isDark() ? "light" : "dark") + " colours");
      }
      button.addEventListener("click", () => {
        document.documentElement.dataset.theme = isDark() ? "light" : "dark";
        name();
        document.dispatchEvent(new Event("themechange"));
      });
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        name();
        document.dispatchEvent(new Event("themechange"));
      });
      name();
      return button;
    }

    function heading() {
      document.title = data.title;
      const links = [["#runs", "Summary", described().length > 0], ["#sweeps", "Sweep", data.sweeps.length > 0],
        ["#sequence", "Sequence", data.timelines.length > 0]];
      document.getElementById("top").append(
        el("h1", null, data.title), data.runs.length + data.sweeps.length > 0 ? badge(data.passed) : "",
        el("nav", { "aria-label": "Parts of the report" },
          links.filter(link => link[2]).map(link => el("a", { href: link[0] }, link[1]))),
        themeSwitch());
    }

    function bars(title, rows) {
      if (!rows || rows.length === 0) return null;
      const table = el("table", null, el("thead", null, el("tr", null,
        el("th", { scope: "col" }, "what"), el("th", { scope: "col" }, "exercised"), el("th", { scope: "col", class: "number" }, "entries"))));
      table.append(el("tbody", null, rows.map(([name, done, all]) => el("tr", null, el("th", { scope: "row" }, name),
        el("td", null, el("progress", { max: Math.max(all, 1), value: done, "aria-label": name })),
        el("td", { class: "number" }, whole.format(done) + " of " + whole.format(all))))));
      return el("details", { open: rows.length <= 12 }, el("summary", null, title), el("div", { class: "scrolls" }, table));
    }

    function timing(rows) {
      if (!rows || rows.length === 0) return null;
      return el("details", { open: true }, el("summary", null, "Requests against their recorded time"),
        el("table", null, el("tbody", null, rows.map(([words, number]) => el("tr", null,
          el("th", { scope: "row" }, words), el("td", { class: "number" }, whole.format(number)))))));
    }

    function runPart(run, index) {
      const part = el("section", { class: "card", id: "run-" + index, "aria-labelledby": "run-name-" + index },
        el("h2", { id: "run-name-" + index }, run.name, " ", run.passed === undefined ? "" : badge(run.passed)), facts(run.facts));
      const lists = [lines("Failures", run.failures, "bad", true), lines("Misuse", run.misuse, "bad", true),
        lines("Faults fired", run.fired, "warn", (run.fired || []).length <= 10),
        lines("Faults not reached", run.notReached, "warn", true), lines("Notes", run.notes, "plain", (run.notes || []).length <= 10)];
      part.append(...lists.filter(list => list));
      part.append(el("div", { class: "columns" },
        (run.coverage || []).map(rows => bars("Coverage", rows)), timing(run.timing)));
      return part;
    }

    // What has more to tell than its drawing.
    function described() { return [...data.runs, ...data.recordings.filter(recording => recording.facts.length + recording.notes.length > 0)]; }

    function runsPart() {
      const all = described();
      const part = el("div", { id: "runs" });
      if (all.length > 1) {
        part.append(el("section", { class: "card", "aria-labelledby": "overview" }, el("h2", { id: "overview" }, "Overview"),
          el("div", { class: "scrolls" }, el("table", null, el("tbody", null, all.map((run, index) => el("tr", null,
            el("td", null, el("a", { href: "#run-" + index }, run.name)),
            el("td", null, run.passed === undefined ? "" : badge(run.passed)),
            el("td", null, (run.failures || [])[0] || ""))))))));
      }
      part.append(...all.map(runPart));
      return part;
    }

    """#
}

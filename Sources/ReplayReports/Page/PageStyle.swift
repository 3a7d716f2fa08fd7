/// The style of a page.
enum PageStyle {
  private static let dark = """
    --back:#14171a;--panel:#1c2024;--ink:#e6e8ea;--muted:#a5aeb7;--line:#3a4149;--accent:#8ab4f8;--ok:#6fd08c;--bad:#ff8a80;
    --warn:#f0c060;--warn-back:#3a2f14;--bad-back:#46211f;--pick:#22344f;--central:#8ab4f8;--peripheral:#5fd3bc;--link:#a5aeb7;
    color-scheme:dark
    """

  static let text = """
    :root{--back:#f6f7f8;--panel:#fff;--ink:#1b1e22;--muted:#59616a;--line:#d3d8dd;--accent:#0b57d0;--ok:#17702f;--bad:#b3261e;
    --warn:#7a4f00;--warn-back:#fff1cf;--bad-back:#fde5e2;--pick:#dfe9fb;--central:#0b57d0;--peripheral:#00695c;--link:#59616a;
    color-scheme:light}
    @media (prefers-color-scheme:dark){:root:not([data-theme=light]){\(dark)}}
    :root[data-theme=dark]{\(dark)}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
    h1{font-size:1.35rem;margin:0;overflow-wrap:anywhere}
    h2{font-size:1.15rem;margin:0 0 .6rem;overflow-wrap:anywhere}
    h3{font-size:1rem;margin:1rem 0 .35rem}
    code,.mono{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em}
    :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
    main:focus{outline:none}
    .skip{position:absolute;left:-999rem;top:0;background:var(--panel);color:var(--accent);padding:.5rem 1rem;z-index:9}
    .skip:focus{left:0}
    header{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:center;padding:.8rem 1.2rem;background:var(--panel);
    border-bottom:1px solid var(--line)}
    header nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin-left:auto}
    a{color:var(--accent)}
    main{max-width:1800px;margin:0 auto;padding:1rem 1.2rem 3rem}
    section.card{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:1rem 1.2rem;margin:0 0 1rem}
    .badge{display:inline-block;border:1.5px solid;border-radius:99px;padding:.05rem .65rem;font-size:.85rem;font-weight:600;
    vertical-align:middle;white-space:nowrap}
    .passed>.badge,.badge.passed{color:var(--ok)}
    .badge.failed{color:var(--bad)}
    button,select,input{font:inherit;color:var(--ink);background:var(--panel);border:1px solid var(--line);border-radius:6px;
    padding:.25rem .6rem;min-height:2rem}
    button{cursor:pointer}
    button:hover{border-color:var(--accent)}
    button[aria-pressed=true]{background:var(--pick);border-color:var(--accent);font-weight:600}
    input[type=search]{width:14rem}
    dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.2rem 0}
    dl.facts dt{color:var(--muted)}
    dl.facts dd{margin:0;overflow-wrap:anywhere;unicode-bidi:isolate}
    ul.lines{margin:.2rem 0;padding-left:1.2rem}
    ul.lines li{overflow-wrap:anywhere;unicode-bidi:isolate;margin:.1rem 0}
    .tone-bad h3,.tone-bad summary{color:var(--bad)}
    .tone-warn h3,.tone-warn summary{color:var(--warn)}
    details{margin:.5rem 0}
    summary{cursor:pointer;font-weight:600}
    table{border-collapse:collapse}
    th,td{text-align:left;padding:.2rem .7rem .2rem 0;vertical-align:top}
    th{color:var(--muted);font-weight:600}
    td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
    td{overflow-wrap:anywhere;unicode-bidi:isolate}
    progress{width:9rem;height:.7rem;accent-color:var(--accent)}
    .columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:0 2.5rem}
    .scrolls{overflow-x:auto}
    .tools{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.4rem 0}
    .tools label{display:flex;gap:.4rem;align-items:center;min-width:0;max-width:100%}
    .tools select{min-width:0;max-width:24rem}
    .tools input{min-width:0}
    .tools output{color:var(--muted);font-variant-numeric:tabular-nums}
    .chips{display:flex;flex-wrap:wrap;gap:.3rem;border:0;padding:0;margin:.3rem 0}
    .chips button{padding:.05rem .6rem;min-height:1.75rem;border-radius:99px;font-size:.9rem}
    .timescale{border:1px solid var(--line);border-radius:6px;margin:.4rem 0 .6rem;overflow:hidden;cursor:pointer;touch-action:pan-y;
    user-select:none}
    .timescale canvas{display:block}
    .viewer{display:grid;grid-template-columns:minmax(0,1fr) 16px clamp(19rem,27vw,29rem);gap:0 .6rem;height:min(72vh,820px);min-height:26rem}
    .scroller{position:relative;overflow-y:scroll;overflow-x:hidden;border:1px solid var(--line);border-radius:6px;height:100%}
    .scroller canvas{position:sticky;top:0;display:block}
    .strip{width:16px;height:100%;border:1px solid var(--line);border-radius:4px;cursor:pointer}
    .details{overflow:auto;border:1px solid var(--line);border-radius:6px;padding:.6rem .9rem;height:100%}
    .details>h3{margin-top:0}
    .details table{width:100%}
    .details th[scope=col]{border-bottom:1px solid var(--line)}
    .bytes{display:grid;grid-template-columns:max-content 1fr 1fr;gap:.1rem .8rem;margin:.4rem 0}
    .bytes.one{grid-template-columns:max-content 1fr}
    .bytes>*{white-space:pre-wrap;overflow-wrap:anywhere}
    .bytes .mono{font-size:.8rem}
    .bytes .place,.bytes .shown{color:var(--muted)}
    mark{background:var(--warn-back);color:var(--warn);font-weight:700;text-decoration:underline}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    ol.marks{list-style:none;margin:.3rem 0;padding:0;max-height:13rem;overflow:auto}
    ol.marks button{border:0;background:none;text-align:left;padding:.15rem .3rem;min-height:1.6rem;overflow-wrap:anywhere}
    ol.marks button:hover{text-decoration:underline}
    .mark-divergence,.mark-misuse{color:var(--bad);font-weight:700}
    .mark-fault{color:var(--warn);font-weight:700}
    .map{display:flex;flex-wrap:wrap;gap:5px;padding:4px;max-height:60vh;overflow:auto;position:relative}
    .cell{width:52px;height:44px;border:2px solid;border-radius:6px;display:grid;place-content:center;text-align:center;
    cursor:pointer;line-height:1.05;background:var(--panel);font-size:.78rem;font-variant-numeric:tabular-nums}
    .cell b{font-size:1.05rem;line-height:1;display:block}
    .cell.passed{color:var(--ok);border-radius:22px}
    .cell.failed{color:var(--bad);background:var(--bad-back)}
    .cell.trapped{color:var(--bad);background:var(--bad-back);border-style:double;border-width:5px;border-radius:0}
    .cell.notReached{color:var(--warn);border-style:dashed}
    .cell.skipped{color:var(--muted);border-style:dotted;border-width:2px}
    .cell[aria-selected=true]{box-shadow:0 0 0 3px var(--accent)}
    .cell.away{display:none}
    pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}
    .keys{color:var(--muted);font-size:.9rem}
    kbd{border:1px solid var(--line);border-radius:4px;padding:0 .3rem;font-size:.85em}
    @media (max-width:1000px){.viewer{grid-template-columns:minmax(0,1fr) 16px;height:auto}.scroller,.strip{height:60vh}
    .details{grid-column:1/3;height:auto;max-height:50vh;margin-top:.6rem}}
    @media print{.tools,.chips,.keys,.strip{display:none}}
    """
}

"use strict";
// Builds the page from three JSON blocks: the results as in results.json; the view: for each row,
// worst first, what the program already put in words; and what each scenario is about. What a row
// holds is made when it is opened.

const read = (id) =>
  // Integers beyond 2^53 stay text, so that the page shows the digits of the file.
  JSON.parse(document.getElementById(id).textContent.replace(/"(seed|max_ulp)":(-?\d{16,})/g, '"$1":"$2"'));
const byId = (id) => document.getElementById(id);

const { results } = read("results");
const view = read("view");
const about = read("about");
const rows = view.rows.map((seen) => ({ ...seen, ...results[seen.index] }));
for (const row of rows) {
  row.message = visible(row.message);
  if (!row.measured) row.r = null;
}
const state = { query: "", verdicts: new Set(), onlyNotOk: false, cell: null };
let rowLimit = 1000;

/** An element with properties, and children that are elements or text. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** The number behind 1.5, "nan", "inf" or "-inf"; null stays null. */
function numeric(value) {
  const words = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  return typeof value === "string" && value in words ? words[value] : value;
}

function format(value) {
  const number = numeric(value);
  if (typeof number !== "number") return String(number);
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "NaN" : number > 0 ? "inf" : "-inf";
  if (Number.isInteger(number) && Math.abs(number) < 1e5) return String(number);
  const small = number !== 0 && Math.abs(number) < 1e-3;
  const [digits, exponent] = (small ? number.toExponential(3) : number.toPrecision(4)).split("e");
  const short = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  return exponent ? `${short}e${Number(exponent)}` : short;
}

/** Text from a program under test, control characters spelled out as in the other reports. */
function visible(text) {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

const dtypeName = (dtype) => dtype.replace("bfloat", "bf").replace("float", "f").replace("complex", "c");

// ---- heatmap

/** What a line of the heat map is about: other variants than eager have lines of their own. */
const spot = (row) => (row.variant && row.variant !== "eager" ? `${row.what}/${row.variant}` : row.what);

/** Colour and strength of a cell, from log2 r between -10 and 20; where the verdict is about something else, from the status. */
function heat(row) {
  if (!row.decisive) {
    return {
      "not ok": { colour: "hot", strength: 75 },
      "as expected": { colour: "warn", strength: 30 },
      "ok": { colour: "cool", strength: 25 },
      "not judged": { strength: 0 },
    }[row.status];
  }
  const log = Number.isNaN(numeric(row.r)) ? 20 : Math.log2(numeric(row.r));
  if (log <= 0) return { colour: "cool", strength: Math.max(8, 55 * (1 + log / 10)) };
  return { colour: "hot", strength: Math.min(75, 15 + 60 * (log / 20)) };
}

/** Short enough for a cell: two digits of r where that decides, else the verdict. */
function heatText(row) {
  const r = numeric(row.r);
  if (row.decisive) return Number.isFinite(r) ? format(Number(r.toPrecision(2))) : row.number;
  const short = { "out-of-memory": "memory", nondeterministic: "nondet.", "ill-conditioned": "ill-cond.",
    "oracle-weak": "oracle", inconclusive: "inconcl.", unsupported: "unsupp." };
  return short[row.verdict] ?? row.verdict.replace("-broken", "");
}

function heatCell(cell) {
  if (!cell) return make("td");
  const { colour, strength } = heat(cell.worst);
  const button = make("button", {
    type: "button",
    className: cell.worst.status === "not ok" ? "not-ok" : "",
    title: `${spot(cell.worst)}, ${cell.worst.dtype}: ${cell.worst.verdict}, ${cell.worst.status}` +
      (cell.count > 1 ? ` (the most urgent of ${cell.count})` : ""),
    onclick: () => {
      state.cell = { what: spot(cell.worst), dtype: cell.worst.dtype };
      apply();
      byId("findings").scrollIntoView();
    },
  }, heatText(cell.worst));
  button.setAttribute("aria-label", button.title + (cell.worst.number ? `, r ${cell.worst.number}` : ""));
  if (colour) button.style.setProperty("--heat", `var(--${colour})`);
  button.style.setProperty("--strength", strength);
  return make("td", {}, button);
}

/** A name that breaks after its slash rather than within a word. */
function heatName(what) {
  const [name, ...arm] = what.split("/");
  return make("span", {}, name, ...arm.flatMap((part) => ["/", make("wbr"), part]));
}

function heatTable(entries, dtypes) {
  const head = make("tr", {}, make("td"), ...dtypes.map((d) => make("th", { scope: "col", title: d }, dtypeName(d))));
  const body = entries.map(([what, cells]) =>
    make("tr", {}, make("th", { scope: "row" }, heatName(what)), ...dtypes.map((d) => heatCell(cells.get(d)))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

function drawHeatmap(limit) {
  const grid = new Map();
  for (const row of rows) {
    if (!grid.has(spot(row))) grid.set(spot(row), new Map());
    const cells = grid.get(spot(row));
    if (!cells.has(row.dtype)) cells.set(row.dtype, { worst: row, count: 0 });
    cells.get(row.dtype).count += 1;
  }
  const order = ["float64", "float32", "bfloat16", "float16"];
  const place = (d) => (order.includes(d) ? order.indexOf(d) : order.length);
  const dtypes = [...new Set(rows.map((row) => row.dtype))].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  const entries = [...grid].slice(0, limit);
  const height = Math.max(8, Math.ceil(entries.length / Math.max(1, Math.floor(12 / (dtypes.length + 1)))));
  byId("heat").replaceChildren();
  for (let i = 0; i < entries.length; i += height) {
    byId("heat").append(heatTable(entries.slice(i, i + height), dtypes));
  }
  byId("heat-more").hidden = grid.size <= limit;
  byId("heat-more").textContent = `show all ${grid.size} names`;
  byId("heat-more").onclick = () => drawHeatmap(Infinity);
}

// ---- rows

function bar(row) {
  const r = numeric(row.r);
  const track = make("span", { className: r > 1 || Number.isNaN(r) ? "bar over" : "bar" });
  if (r === null) return track;
  const decades = Number.isNaN(r) ? 8 : Math.log10(r);
  const length = Math.min(100, Math.max(0, ((decades + 4) / 12) * 100));
  track.append(make("i"));
  track.firstChild.style.setProperty("--length", length);
  return track;
}

function summaryOf(row) {
  const how = [row.variant, row.device].filter(Boolean).join(" · ");
  row.count = make("span", { className: "count" });
  row.types = make("span", {}, row.dtype);
  return make("summary", {},
    make("span", { className: "verdict" }, make("span", {}, make("span", { className: "badge" }, row.verdict), row.count), make("small", {}, row.status)),
    make("span", { className: "what" }, make("span", { className: "name" }, row.what), make("small", { title: row.op }, row.op)),
    make("span", { className: "how" }, row.types, make("small", {}, how)),
    make("span", { className: "against" }, make("span", { className: "value" }, row.number || "–"), bar(row)),
    make("span", { className: "spot" }, make("span", { className: "place", title: row.place }, row.place),
      make("small", {}, row.message.split("\n", 1)[0])));
}

function build(row) {
  row.haystack = [row.id, row.status, row.verdict, row.oracle, row.where, row.message, ...row.tags, ...row.path]
    .join("\n").toLowerCase();
  row.element = make("details", { className: `row ${row.status.replace(" ", "-")}` }, summaryOf(row));
  // Filled before it opens, so that nothing below moves twice.
  row.element.firstChild.addEventListener("click", () => fill(row));
  row.element.addEventListener("toggle", () => { fill(row); remember(); });
}

// ---- what an open row holds

function tableOf(table) {
  const isNumber = (column) => table.rows.every((cells) => typeof numeric(cells[column]) === "number");
  const kind = table.columns.map((_, column) => (isNumber(column) ? "n" : ""));
  const cells = (tag, values) => values.map((value, i) => make(tag, { className: kind[i] }, format(value)));
  return make("section", { className: "wide" },
    make("h3", {}, table.name),
    make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": table.name },
      make("table", { className: "data" },
        make("thead", {}, make("tr", {}, ...cells("th", table.columns))),
        make("tbody", {}, ...table.rows.map((row) => make("tr", {}, ...cells("td", row)))))));
}

async function copy(button, text, source) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = "selected";
  }
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}

function replayOf(row) {
  const line = make("pre", { className: "mono" }, row.replay);
  const button = make("button", { type: "button", className: "copy" }, "copy");
  button.onclick = () => copy(button, row.replay, line);
  return make("section", { className: "wide" }, 
    make("h3", {}, "Replay (in the folder where plumb ran, after source build/env)"), make("div", { className: "replay" }, line, button));
}

/** "owner/project#12" leads to GitHub, a web address to itself; other text stays text. */
function sourceOf(text) {
  const issue = text.match(/^([\w.-]+\/[\w.-]+)#(\d+)$/);
  const href = issue ? `https://github.com/${issue[1]}/issues/${issue[2]}` : text;
  return /^https:/.test(href) ? make("a", { href, rel: "noreferrer" }, text) : text;
}

function aboutOf(row) {
  const note = row.arm === "case" ? undefined : about[row.name];
  if (!note) return [];
  const sources = note.sources.flatMap((text, i) => [i ? ", " : "Reported in ", sourceOf(text)]);
  return [make("section", { className: "wide about" },
    make("h3", {}, "What this scenario shows"), make("p", {}, note.about),
    ...(sources.length ? [make("p", {}, ...sources)] : []))];
}

function fill(row) {
  if (row.filled) return;
  row.filled = true;
  const facts = make("dl", { className: "facts" },
    ...row.evidence.flatMap(([label, text]) => [make("dt", {}, label), make("dd", {}, text)]));
  const side = make("div");
  if (row.message) side.append(make("h3", {}, "Message"), make("p", { className: "message" }, row.message));
  if (row.path.length) {
    side.append(make("h3", {}, `Path: ${row.path.length} operators, in the order they ran`),
      make("ol", { className: "path mono", tabIndex: 0 }, ...row.path.map((op) => make("li", {}, op))));
  }
  const detail = make("div", { className: "detail" }, ...aboutOf(row), facts, ...(side.firstChild ? [side] : []));
  row.element.firstChild.after(detail);
  if (row.series.length) {
    const plots = make("div", { className: "wide plots" });
    detail.append(plots);
    row.charts = chartsOf(row.series);
    for (const chart of row.charts) plots.append(chart.figure);
    row.charts.forEach(draw);
  }
  detail.append(...row.tables.map(tableOf));
  if (row.replay) detail.append(replayOf(row));
}

// ---- charts: series named "CHART: LINE" share a chart; a CHART is named "QUANTITY by X"

function chartsOf(series) {
  const charts = new Map();
  for (const { name, x, y } of series) {
    const [title, line] = name.includes(": ") ? name.split(/: (.*)/s) : [name, name];
    if (!charts.has(title)) charts.set(title, { title, lines: [] });
    charts.get(title).lines.push({ name: line, x: x.map(numeric), y: y.map(numeric) });
  }
  for (const chart of charts.values()) describe(chart);
  return [...charts.values()];
}

/** Chooses the scale and says in words what it cannot show. */
function describe(chart) {
  const points = chart.lines.flatMap((line) => line.y);
  const positive = points.filter((y) => y > 0 && y < Infinity);
  const reach = positive.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [Infinity, 0]);
  chart.log = reach[1] / reach[0] > 1e3 && !points.some((y) => y < 0 && y > -Infinity);
  const finite = chart.lines.flatMap((line) => line.y.map((y, i) => [line.x[i], y]));
  const broken = finite.filter(([, y]) => !Number.isFinite(y));
  const zeros = finite.filter(([, y]) => y === 0);
  const notes = [];
  if (chart.log) notes.push("log scale");
  if (broken.length) notes.push(`${broken.length} not finite, the first at ${format(broken[0][0])}`);
  if (chart.log && zeros.length) notes.push(`${zeros.length} exactly zero, not drawn, the first at ${format(zeros[0][0])}`);
  const box = make("div", { className: "canvas" }, make("canvas", { role: "img" }));
  chart.canvas = box.firstChild;
  chart.canvas.setAttribute("aria-label", `${chart.title}: ${points.length} points` +
    (positive.length ? `, from ${format(reach[0])} to ${format(reach[1])}` : "") + (notes.length ? `; ${notes.join("; ")}` : ""));
  chart.figure = make("figure", {}, make("h3", {}, chart.title), box, make("small", {}, notes.join("; ")));
}

function draw(chart) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const palette = ["accent", "bad", "good", "warn", "muted"].map(colour);
  const shown = (y) => (Number.isFinite(y) && !(chart.log && y <= 0) ? y : null);
  const axis = { ticks: { color: colour("muted"), maxTicksLimit: 8 }, grid: { color: colour("line"), borderColor: colour("line") } };
  const [quantity, along] = chart.title.split(/ by (.*)/s);
  const named = (text) => ({ title: { display: Boolean(text), text, color: colour("muted") } });
  const decade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  const whole = chart.lines.every((line) => line.x.every(Number.isInteger));
  chart.drawn?.destroy();
  chart.drawn = new Chart(chart.canvas, {
    type: "line",
    data: {
      datasets: chart.lines.map((line, i) => ({
        label: line.name,
        data: line.x.map((x, k) => ({ x, y: shown(line.y[k]) })).filter((point) => Number.isFinite(point.x)),
        borderColor: palette[i % palette.length],
        backgroundColor: palette[i % palette.length],
        borderWidth: 1.5,
        pointRadius: line.x.length > 80 ? 0 : 2,
        borderDash: i < palette.length ? [] : [5, 3],
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: {
        x: { ...axis, ...named(along), type: "linear", ticks: { ...axis.ticks, precision: whole ? 0 : undefined, callback: format } },
        y: chart.log
          ? { ...axis, ...named(`${quantity}, log scale`), type: "logarithmic", ticks: { ...axis.ticks, callback: (v) => (decade(v) ? format(v) : null) } }
          : { ...axis, ...named(quantity), type: "linear", ticks: { ...axis.ticks, callback: format } },
      },
      plugins: {
        legend: { display: chart.lines.length > 1, labels: { color: colour("text"), boxWidth: 12, boxHeight: 2 } },
        tooltip: { callbacks: {
          title: (items) => items.length ? format(items[0].parsed.x) : "",
          label: (item) => `${item.dataset.label}: ${format(item.parsed.y)}`,
        } },
      },
    },
  });
}

// ---- filter

const dtypeWords = new Map(rows.flatMap(({ dtype }) => [[dtype, dtype], [dtypeName(dtype), dtype]]));

function matches(row) {
  if (state.onlyNotOk && row.status !== "not ok") return false;
  if (state.verdicts.size && !state.verdicts.has(row.verdict)) return false;
  if (state.cell && (spot(row) !== state.cell.what || row.dtype !== state.cell.dtype)) return false;
  return state.query.toLowerCase().split(/\s+/).every((word) =>
    // A dtype means itself: "float16" is not to find bfloat16.
    dtypeWords.has(word) ? dtypeWords.get(word) === row.dtype : row.haystack.includes(word));
}

function drawChips() {
  const counts = new Map();
  for (const row of rows) counts.set(row.verdict, (counts.get(row.verdict) ?? 0) + 1);
  const chips = view.verdicts.filter((verdict) => counts.has(verdict)).map((verdict) => make("button", {
    type: "button",
    title: view.meanings[verdict],
    "aria-pressed": state.verdicts.has(verdict),
    onclick: () => {
      if (!state.verdicts.delete(verdict)) state.verdicts.add(verdict);
      apply();
    },
  }, verdict, make("b", {}, counts.get(verdict))));
  return chips;
}

/** One line for what likely has one cause: the most urgent of them, the others inside it. */
function nest([first, ...others]) {
  first.others?.remove();
  first.count.textContent = others.length ? `×${others.length + 1}` : "";
  first.types.textContent = [...new Set([first, ...others].map((row) => row.dtype))]
    .map((dtype, _, all) => (all.length > 1 ? dtypeName(dtype) : dtype)).join(" ");
  if (!others.length) return first.element;
  others.forEach((row) => nest([row]));
  first.others = make("section", { className: "others" },
    make("h3", {}, `${others.length} more with the same operator, verdict and place`), ...others.map((row) => row.element));
  first.element.append(first.others);
  return first.element;
}

/** Shows what the state selects. */
function apply() {
  const selected = rows.filter(matches);
  const groups = [...Map.groupBy(selected, (row) => row.group).values()];
  byId("rows").replaceChildren(...groups.slice(0, rowLimit).map(nest));
  byId("rows-more").hidden = groups.length <= rowLimit;
  byId("rows-more").textContent = `show the other ${groups.length - rowLimit}`;
  const note = byId("shown");
  note.textContent = selected.length === rows.length ? `${rows.length} results` : `${selected.length} of ${rows.length} results`;
  if (groups.length < selected.length) note.append(`, in ${groups.length} line${groups.length > 1 ? "s" : ""}: one for what likely has one cause`);
  if (state.cell) note.append(`, ${state.cell.what} in ${state.cell.dtype}`);
  if (selected.length !== rows.length) {
    note.append(" ", make("button", { type: "button", className: "copy", onclick: clear }, "show all"));
  }
  byId("query").value = state.query;
  byId("only-not-ok").setAttribute("aria-pressed", state.onlyNotOk);
  [...byId("chips").children].forEach((chip) => chip.setAttribute("aria-pressed", state.verdicts.has(chip.firstChild.data)));
  remember();
}

function clear() {
  Object.assign(state, { query: "", verdicts: new Set(), onlyNotOk: false, cell: null });
  apply();
  byId("query").focus();
}

// ---- the address keeps the state: #q=softmax&verdict=unstable,nonfinite&notok=1&open=ID

function remember() {
  const hash = new URLSearchParams();
  if (state.query) hash.set("q", state.query);
  if (state.verdicts.size) hash.set("verdict", [...state.verdicts].join(","));
  if (state.onlyNotOk) hash.set("notok", "1");
  if (state.cell) { hash.set("what", state.cell.what); hash.set("dtype", state.cell.dtype); }
  const open = rows.find((row) => row.element.open && row.element.isConnected);
  if (open) hash.set("open", open.id);
  const text = hash.toString();
  if (text !== location.hash.slice(1)) history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function recall() {
  const hash = new URLSearchParams(location.hash.slice(1));
  state.query = hash.get("q") ?? "";
  state.verdicts = new Set((hash.get("verdict") ?? "").split(",").filter(Boolean));
  state.onlyNotOk = hash.get("notok") === "1";
  state.cell = hash.has("what") ? { what: hash.get("what"), dtype: hash.get("dtype") ?? "" } : null;
  const open = rows.find((row) => row.id === hash.get("open"));
  apply();
  for (let row = open; row; row = rows.find(({ element }) => element === row.element.parentElement.closest(".row"))) {
    fill(row);
    row.element.open = true;
  }
  open?.element.scrollIntoView();
}

rows.forEach(build);
byId("chips").append(...drawChips());
byId("query").addEventListener("input", (event) => { state.query = event.target.value; apply(); });
byId("only-not-ok").addEventListener("click", () => { state.onlyNotOk = !state.onlyNotOk; apply(); });
byId("rows-more").addEventListener("click", () => { rowLimit = Infinity; apply(); });
addEventListener("hashchange", recall);
addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target.tagName !== "INPUT") { event.preventDefault(); byId("query").focus(); }
  if (event.key === "Escape" && event.target === byId("query")) clear();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => rows.forEach((row) => row.charts?.forEach(draw)));
document.querySelector("main").hidden = false;
drawHeatmap(innerWidth < 832 ? 8 : 24);
recall();

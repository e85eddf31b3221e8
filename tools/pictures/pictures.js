// Draws the pictures of a report: Vega-Lite specifications that stand in the page, without eval and without fetching anything.
import { expressionInterpreter } from "vega-interpreter";
import embed from "vega-embed";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function theme(ink, faint, back) {
  return {
    background: back,
    font: "system-ui, sans-serif",
    axis: { labelColor: ink, titleColor: ink, domainColor: faint, tickColor: faint, gridColor: faint, gridOpacity: 0.4, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
    legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
    header: { labelColor: ink, titleColor: ink, labelFontSize: 13 },
    title: { color: ink },
    text: { color: ink },
    view: { stroke: null },
  };
}

async function draw(place) {
  const spec = JSON.parse(place.querySelector("script").textContent);
  const night = dark.matches;
  const config = night ? theme("#e6e6e6", "#777777", "#16181c") : theme("#1b1b1b", "#999999", "#ffffff");
  const shown = place.querySelector(".drawn");
  const { view } = await embed(shown, spec, {
    mode: "vega-lite",
    renderer: "svg",
    ast: true,
    expr: expressionInterpreter,
    config,
    actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
    downloadFileName: place.id,
    tooltip: { theme: night ? "dark" : "light" },
    i18n: { SVG_ACTION: "Save as SVG", PNG_ACTION: "Save as PNG" },
  });
  const svg = shown.querySelector("svg.marks") || shown.querySelector("svg");
  if (svg) svg.setAttribute("aria-label", place.dataset.told);
  const menu = shown.querySelector("summary");
  if (menu) menu.setAttribute("aria-label", `Save the picture: ${place.querySelector("figcaption").textContent}`);
  return view;
}

function drawAll() {
  const places = [...document.querySelectorAll("figure.picture")];
  return Promise.all(places.map(draw)).then(() => document.documentElement.setAttribute("data-drawn", places.length));
}

dark.addEventListener("change", drawAll);
// Paper cannot be opened: what is folded is printed unfolded.
const folded = () => document.querySelectorAll("main > details, figure > details");
window.addEventListener("beforeprint", () => folded().forEach((one) => { one.dataset.was = one.open ? "1" : ""; one.open = true; }));
window.addEventListener("afterprint", () => folded().forEach((one) => { one.open = one.dataset.was === "1"; }));
drawAll();

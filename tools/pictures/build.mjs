// Bundles the script of the report's pictures, and collects the licences of all that is in it:
//   npm ci && npm run build
import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";

const to = "../../src/likeness/report/script/";
const made = await build({
  entryPoints: ["pictures.js"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  legalComments: "none",
  charset: "ascii",
  metafile: true,
  outfile: `${to}pictures.min.js`,
});

const packages = new Set();
for (const [file, used] of Object.entries(made.metafile.outputs[Object.keys(made.metafile.outputs)[0]].inputs)) {
  const found = file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found && used.bytesInOutput > 0) packages.add(found[1]);
}
const texts = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const told = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file && existsSync(`${folder}/${file}`) ? readFileSync(`${folder}/${file}`, "utf8").trim() : `License: ${told.license}`;
  return `${name} ${told.version} (${told.license})\n\n${text}\n`;
});
writeFileSync(`${to}LICENSES.txt`, `What pictures.min.js is made of.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`);

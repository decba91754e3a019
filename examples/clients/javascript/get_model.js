// Ask a running consumer for the posterior of one model, as an Arrow table.
//
//   npm ci
//   node get_model.js http://127.0.0.1:8080 flights/SFO
//
// Prints one JSON object. The same lines work in a browser.

import { tableFromIPC } from "apache-arrow";

const [base, key] = process.argv.slice(2);

// A key is one path segment: its slashes and spaces are escaped.
const response = await fetch(`${base}/v1/models/${encodeURIComponent(key)}`, {
  headers: { Accept: "application/vnd.apache.arrow.stream" },
});
if (!response.ok) {
  throw new Error(`${key}: ${response.status} ${await response.text()}`);
}
const table = tableFromIPC(await response.arrayBuffer());
const about = table.schema.metadata; // what the table is about, as strings

console.log(
  JSON.stringify({
    key: about.get("credence.key"),
    t: Number(about.get("credence.t")),
    n: Number(about.get("credence.n")),
    posterior: table.toArray().map((row) => row.toJSON()), // undefined statistics are null
  }),
);

// A host: runs the plans that `codemode plan --js` answers with.
//
//     codemode plan --js examples/data/requests.jsonl | node examples/host_js/host.mjs
//
// It shows what a host is for: it decides which tools there are, sees the plan before anything is called, and
// gives the code nothing but those tools. Node's vm keeps names apart; it is no wall against hostile code, and
// neither is the compiled text a permission: whoever must not send mail gets no send_mail.

import { createReadStream } from "node:fs";
import vm from "node:vm";
import { tools } from "./tools.mjs";

const shown = (x) => JSON.stringify(x, (_, value) => (Object.is(value, -0) ? "-0" : value)) ?? String(x);

/// The tools with a line for each call, and nothing that a tool would inherit from Object.
function watched(all) {
  const host = Object.create(null);
  for (const [name, tool] of Object.entries(all))
    host[name] = async (args) => {
      console.log(`  calls   ${name}(${shown(args)})`);
      return tool(args);
    };
  return host;
}

async function execute({ id, plan, js, diagnostic, code }) {
  console.log(id === undefined ? "(no id)" : String(id));
  if (diagnostic !== undefined) {
    console.log(`  refused ${code}: ${diagnostic}`);
    return;
  }
  if (js === undefined) throw new Error("an answer without JavaScript: call codemode plan with --js");
  console.log(`  plan    ${plan.mode}: ${plan.calls.map((call) => call.tool).join(", ")}`);
  // A context of its own has no require, no process, no timers. The line break is the body's own.
  const body = vm.runInContext(`(async function (tools) {\n${js}})`, vm.createContext(), { filename: "plan.js" });
  const result = await body(watched(tools));
  for (const record of [result].flat())
    console.log(record.ok ? `  gives   ${shown(record.value)}` : `  fails   ${record.error}`);
}

const [file] = process.argv.slice(2);
const input = file === undefined ? process.stdin : createReadStream(file);
// Split at \n alone: node:readline would also cut at U+2028, which may stand inside JSON.
let rest = "";
for await (const chunk of input.setEncoding("utf8")) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) await execute(JSON.parse(line));
}
if (rest !== "") await execute(JSON.parse(rest));

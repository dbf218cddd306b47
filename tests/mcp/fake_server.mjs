// A downstream server that misbehaves as its argument says. Plain JSON-RPC over standard input and output.
import { createInterface } from "node:readline";
import { existsSync, writeFileSync } from "node:fs";

const [mood, mark] = process.argv.slice(2);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const tool = (name, description, more = {}) => ({ name, description, inputSchema: { type: "object", properties: {} }, ...more });

let tools = [
  tool("count_sheep", "Counts the sheep on the meadow"),
  tool("big_answer", "Gives a very large answer"),
  tool("print_secret", "Prints what it knows of its environment"),
  tool("grow_list", "Adds a tool to the list of this server"),
  tool("sleep_long", "Sleeps for a long time", { annotations: { readOnlyHint: true } }),
  tool("fall_over", "Ends the process in the middle of a call"),
  tool("odd_bytes", "Gives escape sequences and direction marks"),
  tool("wave_hand", "Gives a picture of a hand"),
];

const text = (t, more = {}) => ({ content: [{ type: "text", text: t }], ...more });
const calls = {
  count_sheep: () => text("7 sheep"),
  big_answer: () => text("x".repeat(10 * 1024 * 1024)),
  print_secret: () => text("the key is " + process.env.FAKE_TOKEN),
  odd_bytes: () => text("a\u001b[31mred\u202egnp.exe\u0000\u2066end"),
  wave_hand: () => ({ content: [{ type: "image", data: "QUJDREVG", mimeType: "image/png" }, { type: "text", text: "a hand" }] }),
  grow_list: () => {
    tools = [...tools, tool("shear_sheep", "Takes the wool off the sheep")];
    send({ method: "notifications/tools/list_changed" });
    return text("grown");
  },
};

if (mood === "garbage") process.stdout.write("Starting up...\n{not json}\n[1,2\n\u0000\u0001\n");
if (mood === "dies") process.exit(1);
// Dies once, in the middle of its first call.
const fragile = mood === "crashes" && !existsSync(mark);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (mood === "mute") return;
  if (method === "initialize") {
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "fake", version: "1" } } });
  } else if (method === "tools/list") {
    // Two tools a page.
    const from = Number(params?.cursor ?? 0);
    const result = { tools: tools.slice(from, from + 2) };
    if (from + 2 < tools.length) result.nextCursor = String(from + 2);
    if (mood === "garbage") process.stdout.write("some log line\n{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}\n");
    send({ id, result });
  } else if (method === "tools/call") {
    if (fragile) {
      writeFileSync(mark, "");
      process.exit(1);
    }
    if (params.name === "fall_over") process.exit(1);
    if (params.name === "sleep_long") return;
    const known = calls[params.name];
    if (known) send({ id, result: known(params.arguments) });
    else send({ id, error: { code: -32602, message: "no such tool" } });
  } else if (method === "notifications/cancelled" && mark) {
    writeFileSync(mark, JSON.stringify(params));
  }
}).on("close", () => process.exit(0));

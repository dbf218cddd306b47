// The MCP server of the examples against the official SDK's client, with published servers and misbehaving ones behind
// it. usage: node server_test.mjs SERVER
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [server] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const room = realpathSync(mkdtempSync(join(tmpdir(), "codemode-mcp-")));
const fake = (mood, more = {}) => ({ command: process.execPath, args: [join(here, "fake_server.mjs"), mood, join(room, mood + ".mark")], ...more });
const published = (name, ...args) => {
  const folder = join(here, "node_modules", "@modelcontextprotocol", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { command: process.execPath, args: [join(folder, Object.values(bin)[0]), ...args] };
};

let configurations = 0;
async function connect(mcpServers) {
  const file = join(room, `config-${++configurations}.json`);
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: server, args: [file], stderr: "ignore" }));
  return client;
}
const call = (client, name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const json = (result) => JSON.parse(result.content[0].text);
const find = async (client, query) => json(await call(client, "findTool", { query }));
const use = (client, toolRef, args, options) => call(client, "callTool", { toolRef, arguments: args ?? {} }, options);

const tests = {
  async "answers the handshake and lists its four tools"() {
    const client = await connect({ fake: fake("kind") });
    assert.equal(client.getServerVersion().name, "codemode");
    assert.match(client.getInstructions(), /findTool/);
    assert.match(client.getInstructions(), /fake\./);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((t) => t.name), ["findTool", "describeTool", "callTool", "planTools"]);
    await client.ping();
    await client.close();
  },

  async "finds, describes and calls tools of published servers"() {
    writeFileSync(join(room, "note.txt"), "buy milk\n");
    const client = await connect({ everything: published("server-everything"), files: published("server-filesystem", room) });
    const found = await find(client, "read a text file");
    assert.equal(found.catalogStats.configuredServers, 2);
    assert.ok(found.catalogStats.indexedTools > 15);
    const refs = [found.selectedToolRef, ...(found.alternatives ?? []).map((a) => a.toolRef)];
    assert.ok(refs.includes("files.read_text_file"), refs.join());
    const described = json(await call(client, "describeTool", { toolRef: "files.read_text_file" }));
    assert.ok(described.inputSchema.properties.path);
    assert.equal(described.status.callableNow, true);
    const read = await use(client, "files.read_text_file", { path: join(room, "note.txt") });
    assert.equal(read.isError, false);
    assert.match(read.content[0].text, /buy milk/);
    const echoed = await use(client, "everything.echo", { message: "hello" });
    assert.match(echoed.content[0].text, /hello/);
    await client.close();
  },

  async "refuses what does not fit before a server is asked"() {
    const client = await connect({ files: published("server-filesystem", room) });
    const wrong = await use(client, "files.read_text_file", { path: 7 });
    assert.equal(wrong.isError, true);
    const { error } = json(wrong);
    assert.equal(error.type, "ARGUMENT_VALIDATION_FAILED");
    assert.match(error.message, /field "path" must be string/);
    assert.equal(json(await use(client, "files", {})).error.type, "TOOL_NOT_FOUND");
    assert.equal(json(await use(client, "ghost.tool", {})).error.type, "CONFIG_ERROR");
    assert.equal(json(await call(client, "findTool", {})).error.type, "ARGUMENT_VALIDATION_FAILED");
    assert.equal(json(await call(client, "describeTool", { toolRef: "files.nothing" })).error.type, "TOOL_NOT_FOUND");
    const elsewhere = json(await use(client, "files.read_text_file", { path: "/etc/hostname" }));
    assert.equal(elsewhere.error.type, "DOWNSTREAM_CALL_FAILED");
    assert.equal(elsewhere.error.retryable, false);
    await client.close();
  },

  async "follows the pages of a list, and its changes"() {
    const client = await connect({ fake: fake("kind") });
    assert.equal((await find(client, "count sheep")).catalogStats.indexedTools, 8);
    await use(client, "fake.grow_list");
    const after = await find(client, "shear the sheep");
    assert.equal(after.catalogStats.indexedTools, 9);
    assert.equal(after.selectedToolRef, "fake.shear_sheep");
    await client.close();
  },

  async "survives a crash and starts the server again"() {
    const client = await connect({ crashes: fake("crashes"), fake: fake("kind") });
    const first = json(await use(client, "crashes.count_sheep"));
    assert.equal(first.error.type, "DOWNSTREAM_CALL_FAILED");
    assert.equal(first.error.retryable, true);
    assert.match(first.error.agentInstruction, /may have taken effect/);
    assert.equal((await use(client, "crashes.count_sheep")).content[0].text, "7 sheep");
    assert.equal((await use(client, "fake.count_sheep")).content[0].text, "7 sheep");
    await client.close();
  },

  async "is not held up by servers that are silent, dead or cannot be started"() {
    const started = Date.now();
    const client = await connect({
      mute: fake("mute", { timeout: 400 }), dies: fake("dies"), fake: fake("kind"),
      missing: { command: join(room, "no-such-program") }, empty: {},
    });
    const found = await find(client, "count the sheep");
    assert.equal(found.selectedToolRef, "fake.count_sheep");
    assert.ok(Date.now() - started < 8000);
    for (const id of ["dies", "missing"]) assert.equal(json(await use(client, `${id}.x`)).error.type, "DOWNSTREAM_SERVER_OFFLINE", id);
    assert.equal(json(await use(client, "empty.x")).error.type, "CONFIG_ERROR");
    await client.close();
  },

  async "passes over garbage between messages"() {
    const client = await connect({ garbage: fake("garbage") });
    assert.equal((await use(client, "garbage.count_sheep")).content[0].text, "7 sheep");
    await client.close();
  },

  async "cuts a result of ten megabytes and says so"() {
    const client = await connect({ fake: fake("kind") });
    const big = await use(client, "fake.big_answer");
    assert.ok(big.content[0].text.length <= 65536);
    assert.match(big.content[1].text, /^\[codemode\] .*65536.*10485760/);
    await client.close();
  },

  async "gives up at the deadline and tells the server"() {
    const client = await connect({ kind: fake("kind", { callTimeout: 300 }) });
    const late = json(await use(client, "kind.sleep_long"));
    assert.equal(late.error.type, "DOWNSTREAM_CALL_FAILED");
    assert.equal(late.error.retryable, false);
    assert.match(late.error.message, /callTimeout of 300ms/);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.match(readFileSync(join(room, "kind.mark"), "utf8"), /timeout/);
    rmSync(join(room, "kind.mark"));
    await client.close();
  },

  async "passes a cancellation on, and answers others meanwhile"() {
    const client = await connect({ kind: fake("kind") });
    await find(client, "sheep");
    const stop = new AbortController();
    const hanging = use(client, "kind.sleep_long", {}, { signal: stop.signal });
    hanging.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    await client.ping();
    const next = use(client, "kind.count_sheep");
    stop.abort();
    await assert.rejects(hanging);
    assert.equal((await next).content[0].text, "7 sheep");
    assert.ok(existsSync(join(room, "kind.mark")));
    await client.close();
  },

  async "masks secrets, keeps odd bytes inside JSON and names pictures"() {
    const client = await connect({ fake: fake("kind", { env: { FAKE_TOKEN: "sk-test-12345678" } }) });
    const secret = await use(client, "fake.print_secret");
    assert.equal(secret.content[0].text, "the key is ****");
    assert.match(secret.content[1].text, /do not write this text back/);
    const odd = await use(client, "fake.odd_bytes");
    assert.equal(odd.content[0].text, "a\u001b[31mred\u202egnp.exe\u0000\u2066end");
    const hand = await use(client, "fake.wave_hand");
    assert.equal(hand.content[0].text, "a hand");
    assert.match(hand.content[1].text, /image image\/png of 6 bytes/);
    await client.close();
  },

  async "plans an instruction without calling anything"() {
    const client = await connect({ files: published("server-filesystem", room) });
    const planned = json(await call(client, "planTools", {
      instruction: 'Call create_directory with path "/tmp/reports".', toolRefs: ["files.create_directory", "files.directory_tree"],
    }));
    assert.equal(planned.plan.calls.length, 1);
    assert.equal(planned.toolRefs.create_directory, "files.create_directory");
    assert.match(planned.javascript, /create_directory/);
    const refused = await call(client, "planTools", { instruction: "Make it nice.", toolRefs: ["files.create_directory"] });
    assert.equal(refused.isError, true);
    assert.ok(json(refused).error.agentInstruction.length > 20);
    await client.close();
  },

  async "answers malformed input by the rules of JSON-RPC"() {
    const file = join(room, "raw.json");
    writeFileSync(file, JSON.stringify({ mcpServers: {} }));
    const child = spawn(server, [file], { stdio: ["pipe", "pipe", "ignore"] });
    const lines = [
      "{nonsense", "[]", '"text"', '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":2,"method":"nothing/here"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":"a\\u0062c","method":"ping"}', '{"jsonrpc":"2.0","method":"notifications/unknown"}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call"}', '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"findTool","arguments":[]}}',
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"findTool","arguments":{"query":"\\ud800 x"}}}', '{"jsonrpc":"2.0","id":6,"method":"ping"}',
    ];
    child.stdin.end(lines.join("\n") + "\n");
    let text = "";
    for await (const chunk of child.stdout) text += chunk;
    const answers = text.trim().split("\n").map((l) => JSON.parse(l));
    assert.deepEqual(answers.map((a) => [a.id, a.error?.code]), [
      [null, -32700], [null, -32600], [null, -32600], [1, -32600], [2, -32601], [null, -32600], ["abc", undefined], [3, -32602], [4, undefined], [5, undefined], [6, undefined],
    ]);
    assert.equal(answers[8].result.isError, true);
    assert.equal(JSON.parse(answers[9].result.content[0].text).decision, "catalog_empty");
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const started = Date.now();
  try {
    await test();
    console.log(`ok   ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAIL ${name}\n     ${error.stack}`);
  }
}
rmSync(room, { recursive: true, force: true });
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length} passed`);
process.exit(failed ? 1 : 0);

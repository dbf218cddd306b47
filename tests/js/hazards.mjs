// Named hazards of JavaScript hosts, each in every engine: node hazards.mjs HAZARD_PLANS RANDOM_PLANS
//
// A scenario is evaluated inside the engine: it sees the globals `realm` and `judge`, the compiled text `js`
// and nothing of this file.

import { execFileSync } from "node:child_process";
import { test } from "node:test";
import assert from "node:assert/strict";
import vm from "node:vm";
import { engines } from "./engines.mjs";

const [hazardPlans, randomPlans] = process.argv.slice(2);
if (randomPlans === undefined) {
  console.error("usage: node hazards.mjs HAZARD_PLANS RANDOM_PLANS");
  process.exit(2);
}
const output = (program, ...options) =>
  execFileSync(program, options, { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n").slice(0, -1);

const compiled = new Map(output(hazardPlans).map((line) => JSON.parse(line)).map(({ name, js }) => [name, js]));
const hosts = await engines();

const textOf = (plan) => {
  assert.ok(compiled.has(plan), `hazard_plans has a plan called ${plan}`);
  return compiled.get(plan);
};

/// Runs `scenario` in every engine, on the body of the plan called `plan`.
function hazard(name, plan, scenario) {
  for (const engine of hosts)
    test(`${name} [${engine.name}]`, async () => {
      const host = engine.open();
      try {
        const question = `(async (js) => {
          const { expect, compile } = realm;
          try {
            await (${scenario})(js);
            return "";
          } catch (error) {
            return "failed: " + realm.show(error && error.message || error);
          }
        })`;
        assert.equal(await host.ask(question, textOf(plan)), "");
      } finally {
        host.close();
      }
    });
}

// --- failures stay inside their call ----------------------------------------------------------------

hazard("a tool that throws at once does not stop parallel calls", "parallel all", async (js) => {
  const started = [];
  const result = await compile(js)({
    a() { started.push("a"); throw new Error("at once"); },
    b() { started.push("b"); return "B"; },
    async c() { started.push("c"); return "C"; },
  });
  expect(started, ["a", "b", "c"]);
  expect(result, [{ ok: false, error: "at once" }, { ok: true, value: "B" }, { ok: true, value: "C" }]);
});

hazard("serial calls go on after a failure", "serial all", async (js) => {
  const started = [];
  const result = await compile(js)({
    async a() { started.push("a"); },
    async b() { started.push("b"); throw "no"; },
    async c({ n }) { started.push("c"); return n; },
  });
  expect(started, ["a", "b", "c"]);
  expect(result, [{ ok: true, value: undefined }, { ok: false, error: "no" }, { ok: true, value: 3 }]);
});

hazard("parallel calls all start before one ends, and each is awaited", "parallel all", async (js) => {
  const events = [];
  const tool = (name, ticks) => async () => {
    events.push("+" + name);
    for (; ticks > 0; --ticks) await null;
    events.push("-" + name);
    if (name === "b") throw name;
    return name;
  };
  const result = await compile(js)({ a: tool("a", 30), b: tool("b", 1), c: tool("c", 10) });
  expect(events, ["+a", "+b", "+c", "-b", "-c", "-a"]);
  expect(result, [{ ok: true, value: "a" }, { ok: false, error: "b" }, { ok: true, value: "c" }]);
});

hazard("serial calls wait for each other", "serial all", async (js) => {
  const events = [];
  const tool = (name, ticks) => async () => {
    events.push("+" + name);
    for (; ticks > 0; --ticks) await null;
    events.push("-" + name);
  };
  await compile(js)({ a: tool("a", 9), b: tool("b", 3), c: tool("c", 0) });
  expect(events, ["+a", "-a", "+b", "-b", "+c", "-c"]);
});

hazard("the last of parallel calls is the last in order, not in time", "parallel last", async (js) => {
  const later = async (value, ticks) => { for (; ticks > 0; --ticks) await null; return value; };
  const result = await compile(js)({ a: () => later("a", 20), b: () => later("b", 9), c: () => later("c", 1) });
  expect(result, { ok: true, value: "c" });
});

hazard("the last of serial calls may be a failure", "serial last", async (js) => {
  const called = [];
  const tools = { a: () => called.push("a"), b: () => called.push("b"), c() { called.push("c"); throw new Error("last"); } };
  expect(await compile(js)(tools), { ok: false, error: "last" });
  expect(called, ["a", "b", "c"]);
});

hazard("what is thrown becomes a string, whatever it is", "single", async (js) => {
  for (const name of Object.keys(realm.oddities)) {
    for (const when of ["at once", "later"]) {
      const [thrown, error] = realm.oddities[name]();
      const a = when === "later" ? async () => { throw thrown; } : () => { throw thrown; };
      const result = await compile(js)({ a });
      if (!realm.same(result, { ok: false, error })) throw new Error(name + " " + when + ": " + realm.show(result));
    }
  }
});

hazard("a rejection that is no promise's", "single", async (js) => {
  const a = () => ({ then(_, reject) { reject("refused"); } });
  expect(await compile(js)({ a }), { ok: false, error: "refused" });
  const b = () => ({ get then() { throw new Error("then threw"); } });
  expect(await compile(js)({ a: b }), { ok: false, error: "then threw" });
});

hazard("a result with a method then is unwrapped, a member then is kept", "single", async (js) => {
  expect(await compile(js)({ a: () => ({ then(resolve) { resolve({ then: (r) => r("inner") }); } }) }), { ok: true, value: "inner" });
  expect(await compile(js)({ a: () => ({ then: 5 }) }), { ok: true, value: { then: 5 } });
});

hazard("results are handed on as they are", "single", async (js) => {
  const frozen = Object.freeze({ ok: false, error: "data" });
  for (const value of [undefined, null, -0, NaN, "", frozen, Symbol("s"), () => 1, [frozen]]) {
    const result = await compile(js)({ a: async () => value });
    expect(Reflect.ownKeys(result), ["ok", "value"]);
    if (!Object.is(result.value, value)) throw new Error(realm.show(value) + " came back as " + realm.show(result.value));
  }
});

// --- which tools there are --------------------------------------------------------------------------

hazard("a missing tool is that call's failure", "parallel all", async (js) => {
  const result = await compile(js)({ a: () => 1, c: () => 3 });
  expect(result, [{ ok: true, value: 1 }, { ok: false, error: 'there is no tool "b"' }, { ok: true, value: 3 }]);
  const others = await compile(js)({ a: 5, b: {}, c: null });
  expect(others.map((r) => r.ok), [false, false, false]);
});

hazard("no host at all is a failure of each call", "serial all", async (js) => {
  for (const host of [undefined, null, 0, "tools"]) {
    const result = await compile(js)(host);
    expect(result.map((r) => r.ok + " " + typeof r.error), ["false string", "false string", "false string"]);
  }
});

hazard("an object that is not declared is a failure of each call", "member", async (js) => {
  const result = await compile(js, "other")({});
  expect(result.map((r) => r.ok + " " + typeof r.error), ["false string", "false string", "false string"]);
});

for (const name of ["toString", "constructor", "valueOf", "hasOwnProperty", "isPrototypeOf", "toLocaleString", "__proto__", "__defineGetter__"])
  hazard(`${name} is no tool of an object that inherits it`, `call ${name}`, async (js) => {
    class Host { list() {} }
    class Derived extends Host { other() {} }
    class Static { static list() {} }
    function Old() {}
    const name = JSON.parse(/"[^"]*"/.exec(js.slice(js.indexOf("$need(tools")))[0]);
    const hosts = [{}, new Host(), new Derived(), Host.prototype, new Old(), Object.create({}), new Proxy({}, {}),
                   new Proxy(new Host(), {}), Object.create(null), Static, class extends Static {}, () => 1, [],
                   Object.create(() => 1)];
    for (const host of hosts) {
      // A class of its own that has a method of this name has a tool: arrays have their own toString.
      if (Array.isArray(host) && (name === "toString" || name === "toLocaleString")) continue;
      expect(await compile(js)(host), { ok: false, error: 'there is no tool "' + name + '"' });
    }
  });

for (const name of ["toString", "constructor", "valueOf", "hasOwnProperty", "then", "__proto__", "call", "bind"])
  hazard(`${name} is a tool where the host has it`, `call ${name}`, async (js) => {
    const name = JSON.parse(/"[^"]*"/.exec(js.slice(js.indexOf("$need(tools")))[0]);
    const tool = function () { return "called"; };
    const with_ = (o) => Object.defineProperty(o, name, { value: tool, configurable: true });
    const asked = [];
    const proxy = new Proxy({}, { get(_, key) { asked.push(key); return key === name ? tool : undefined; } });
    for (const host of [with_({}), with_(Object.create(null)), new (class Host { static { with_(this.prototype); } })(),
                        new (class extends (class { static { with_(this.prototype); } }) {
                          constructor() { super(); if (name === "constructor") with_(this); }
                        })(), proxy, with_(() => 1), with_(class {})])
      expect(await compile(js)(host), { ok: true, value: "called" });
  });

hazard("a member that was added to Object.prototype is no tool", "call polluted", async (js) => {
  Object.prototype.polluted = () => "everywhere";
  try {
    expect((await compile(js)({})).ok, false);
    expect((await compile(js)(new (class {})())).ok, false);
    expect(await compile(js)({ polluted: () => "mine" }), { ok: true, value: "mine" });
  } finally {
    delete Object.prototype.polluted;
  }
});

hazard("tools of proxies, class instances, prototypes and classes", "serial all", async (js) => {
  class Base { a() { return "base a"; } }
  class Host extends Base {
    #secret = "b";
    b() { return this.#secret; }
    get c() { return () => "c"; }
  }
  const expected = [{ ok: true, value: "base a" }, { ok: true, value: "b" }, { ok: true, value: "c" }];
  expect(await compile(js)(new Host()), expected);
  const any = new Proxy({}, { get: (_, name) => ({ n }) => name + n, has: () => false, ownKeys: () => [] });
  expect((await compile(js)(any)).map((r) => r.value), ["a1", "b2", "c3"]);
  class Static { static a() { return this === Static; } static b() { return "b"; } }
  expect((await compile(js)(Static)).map((r) => r.value), [true, "b", undefined]);
  expect((await compile(js)(Object.create({ a: () => 1, b: () => 2 }))).map((r) => r.value), [1, 2, undefined]);
});

hazard("tools are called as methods, with one argument of their own", "serial all", async (js) => {
  const seen = [];
  const tools = {};
  for (const name of ["a", "b", "c"])
    tools[name] = function (...given) { seen.push(this === tools, given.length, given[0]); };
  await compile(js)(tools);
  expect(seen, [true, 1, { n: 1 }, true, 1, { n: 2 }, true, 1, { n: 3 }]);
});

hazard("a getter of the host that throws", "parallel all", async (js) => {
  const result = await compile(js)({ get a() { throw new Error("locked"); }, b: () => 2, c: () => 3 });
  expect(result, [{ ok: false, error: "locked" }, { ok: true, value: 2 }, { ok: true, value: 3 }]);
});

hazard("a revoked proxy as host", "serial all", async (js) => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect((await compile(js)(proxy)).map((r) => r.ok), [false, false, false]);
});

// --- forms of the call ------------------------------------------------------------------------------

hazard("codemode.x", "member", async (js) => {
  const result = await compile(js, "codemode")({ a: ({ n }) => n, c() { return typeof this.a; } });
  expect(result, [{ ok: true, value: 1 }, { ok: false, error: 'there is no tool "b"' }, { ok: true, value: "function" }]);
});

hazard("external_x", "prefix", async (js) => {
  const result = await compile(js, "external_a, external_c")(({ n }) => n, "no function");
  expect(result, [{ ok: true, value: 1 }, { ok: false, error: 'there is no tool "b"' }, { ok: false, error: 'there is no tool "c"' }]);
});

hazard("a prefixed function that is declared but not there yet", "prefix", async (js) => {
  const body = (0, eval)(`(() => { const run = async () => {${js}}; const early = run(); const external_a = () => 1; return early; })`);
  expect((await body()).map((r) => r.ok + " " + typeof r.error), ["false string", "false string", "false string"]);
});

for (const plan of ["reserved words", "reserved words as members"])
  hazard(`${plan} are tools`, plan, async (js) => {
    const object = js.includes("$need(tools") ? "tools" : "codemode";
    const result = await compile(js, object)({ delete: () => 1, import: () => 2, class: () => 3 });
    expect(result.map((r) => r.value), [1, 2, 3]);
  });

hazard("reserved words behind a prefix are tools", "reserved words behind a prefix", async (js) => {
  const result = await compile(js, "external_delete, external_import, external_class")(() => 1, () => 2, () => 3);
  expect(result.map((r) => r.value), [1, 2, 3]);
});

hazard("a name that cannot stand behind a prefix is a missing tool", "name that is no identifier", async (js) => {
  const result = await compile(js, "external_a, external_c, b")(() => 1, () => 3, () => 2);
  expect(result, [{ ok: true, value: 1 }, { ok: false, error: 'there is no tool "a-b"' }, { ok: true, value: 3 }]);
});

hazard("names beyond ASCII", "unicode names", async (js) => {
  const result = await compile(js, "codemode")({ "café": () => 1, "日本": () => 2, "α": () => 3 });
  expect(result.map((r) => r.value), [1, 2, 3]);
});

for (const object of ["$text", "$run", "$need", "$field", "$shape"])
  hazard(`a host called ${object} is not hidden by the body`, `${object} as object`, async (js) => {
    const object = /(\$\w+)\["list"\]/.exec(js)[1];
    expect(await compile(js, object)({ list: () => [{ id: 1 }] }), { ok: true, value: [{ id: 1 }] });
  });

hazard("tools called like what the body declares are not hidden", "tools called like locals", async (js) => {
  const result = await compile(js, "$text, $run, $run$")(() => "t", () => "r", () => "r$");
  expect(result.map((r) => r.value), ["t", "r", "r$"]);
});

hazard("parameters of the surrounding function are free", "fields", async (js) => {
  const names = "tools, text, run, need, field, shape, rows, row, out, call, host, name, f, o, up, thrown, settled, console";
  expect(await compile(js, names)({ list: () => [{ id: 1, name: "n" }] }), { ok: true, value: [{ id: 1, name: "n" }] });
});

// --- names and values change nothing of the structure -------------------------------------------------

hazard("__proto__ is an argument like another", "__proto__ argument", async (js) => {
  const given = await compile(js)({ a: (args) => args }).then((r) => r.value);
  expect(Reflect.ownKeys(given), ["__proto__", "x"]);
  expect(Object.getPrototypeOf(given) === Object.prototype, true);
  expect(Object.getOwnPropertyDescriptor(given, "__proto__").value, "p");
});

hazard("values that end strings, scripts, comments, templates and lines", "values", async (js) => {
  const given = await compile(js)({ a: (args) => args }).then((r) => r.value);
  expect(given, {
    text: "\u2028 \u2029 \ud800 \udc00 </script> <!-- --> */ /* // ` ${x} ' \" \\ \n \r \0 \u202e \ud83d\ude00",
    "\"});\n//": "\u2028\u2029<script>\ud83d\ude00",
    zero: -0,
    small: 5e-324,
  });
});

hazard("a body inside a template literal and a comment", "values", async (js) => {
  // The text has nothing that ends either, so that it can be shown there and still be one piece.
  expect((0, eval)("String.raw`" + js + "`") === js, true);
  expect((0, eval)("/*" + js + "*/ 5"), 5);
});

test("text that could end a script, a comment, a template or a line is in no body", () => {
  for (const [name, js] of compiled) {
    assert.doesNotMatch(js, /<\/|<!--|<script|\*\/|`|\$\{|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u, name);
    assert.doesNotMatch(js, /[\0-\x09\x0b-\x1f]/, name);
    assert.ok(js.endsWith("\n") && js.isWellFormed?.() !== false, name);
  }
});

// --- shaping ----------------------------------------------------------------------------------------

hazard("fields are copied from own properties, in their order", "fields", async (js) => {
  const row = { name: "n", extra: 1, id: -0 };
  const result = await compile(js)({ list: async () => [row, Object.freeze({ id: undefined, name: null })] });
  expect(result, { ok: true, value: [{ id: -0, name: "n" }, { id: undefined, name: null }] });
  expect(row, { name: "n", extra: 1, id: -0 });
});

hazard("a row that lacks a field is named, with the field", "fields", async (js) => {
  const fail = async (rows) => { const r = await compile(js)({ list: () => rows }); return r.ok ? "ok" : r.error; };
  expect(await fail([{ id: 1, name: 2 }, { id: 1 }]), 'row 1 (counted from 0) has no field "name"');
  expect(await fail([Object.create({ id: 1, name: 2 })]), 'row 0 (counted from 0) has no field "id"');
  for (const row of [undefined, null, 5, "text", [1], () => 1, Symbol()])
    expect(await fail([{ id: 1, name: 2 }, { id: 3, name: 4 }, row]), 'row 2 (counted from 0) is no object and has no field "id"');
  expect(await fail([{ id: 1, name: 2 }, , { id: 1, name: 2 }]), 'row 1 (counted from 0) is no object and has no field "id"');
  expect(await fail([{ id: 1, get name() { throw new Error("locked"); } }]), "locked");
});

hazard("rows that are no array are a failure", "fields", async (js) => {
  for (const rows of [undefined, null, {}, { length: 1, 0: { id: 1, name: 1 } }, "rows", 5, new Set([1]), () => []])
    expect(await compile(js)({ list: () => rows }), { ok: false, error: "the tool returned no array of rows" });
});

hazard("the arrays of subclasses and proxies are arrays", "fields and limit 1", async (js) => {
  class Rows extends Array {
    static get [Symbol.species]() { throw new Error("species was asked"); }
    map() { throw new Error("map was called"); }
    slice() { throw new Error("slice was called"); }
  }
  const rows = new Rows();
  rows.push({ id: 1 }, { id: 2 });
  for (const host of [rows, new Proxy([{ id: 1 }, { id: 2 }], {})]) {
    const result = await compile(js)({ list: () => host });
    expect(result, { ok: true, value: [{ id: 1 }] });
    expect(Object.getPrototypeOf(result.value) === Array.prototype, true);
  }
});

hazard("projection comes before the limit", "fields and limit 1", async (js) => {
  expect(await compile(js)({ list: () => [{ id: 1 }, { id: 2 }, { id: 3 }] }), { ok: true, value: [{ id: 1 }] });
  expect(await compile(js)({ list: () => [{ id: 1 }, { id: 2 }, {}] }), { ok: false, error: 'row 2 (counted from 0) has no field "id"' });
  expect(await compile(js)({ list: () => [] }), { ok: true, value: [] });
});

hazard("limit 0 calls the tool and looks at the rows", "fields and limit 0", async (js) => {
  let calls = 0;
  expect(await compile(js)({ list: () => { calls++; return [{ id: 1 }]; } }), { ok: true, value: [] });
  expect(calls, 1);
  expect((await compile(js)({ list: () => [{}] })).ok, false);
});

hazard("limit 0 without fields calls and returns no rows", "limit 0", async (js) => {
  let calls = 0;
  expect(await compile(js)({ list: () => { calls++; return [1, 2]; } }), { ok: true, value: [] });
  expect(calls, 1);
  expect((await compile(js)({ list: () => "rows" })).ok, false);
});

hazard("a limit alone takes rows of any kind", "limit 2", async (js) => {
  const row = { id: 1 };
  const result = await compile(js)({ list: () => [row, null, "beyond"] });
  expect(result, { ok: true, value: [row, null] });
  expect(result.value[0] === row, true);
  expect(await compile(js)({ list: () => [7] }), { ok: true, value: [7] });
  expect(await compile(js)({ list: () => "rows" }), { ok: false, error: "the tool returned no array of rows" });
});

hazard("fields called like inherited members", "hard fields", async (js) => {
  const row = Object.defineProperty({ constructor: "c", length: 3 }, "__proto__", { value: "p", enumerable: true });
  const { ok, value } = await compile(js)({ list: () => [row] });
  expect(ok, true);
  expect(Reflect.ownKeys(value[0]), ["__proto__", "constructor", "length"]);
  expect(Object.getPrototypeOf(value[0]) === Object.prototype, true);
  expect(await compile(js)({ list: () => [{}] }), { ok: false, error: 'row 0 (counted from 0) has no field "__proto__"' });
});

hazard("fields of a tool that fails or is missing", "fields", async (js) => {
  expect(await compile(js)({ list() { throw "down"; } }), { ok: false, error: "down" });
  expect(await compile(js)({}), { ok: false, error: 'there is no tool "list"' });
});

// --- where a body can stand ---------------------------------------------------------------------------

hazard("every kind of async function, strict or not", "parallel all", async (js) => {
  for (const embed of realm.embeddings)
    expect((await compile(js, "tools", embed)({ a: () => 1, b: () => 2, c: () => 3 })).map((r) => r.value), [1, 2, 3]);
});

for (const plan of ["parallel all", "serial last", "fields and limit 1", "call constructor"])
  hazard(`of the globals only four are used: ${plan}`, plan, async (js) => {
    const asked = new Set();
    const scope = new Proxy({}, { has(_, name) { if (name !== "js") asked.add(name); return false; } });
    const body = (0, eval)(`(function (scope) { with (scope) { return async (tools) => {${js}}; } })`)(scope);
    await body({ a: () => 1, b() { throw Object.create(null); }, c: () => 3, list: () => [{ id: 1 }] });
    await body({ a: () => { throw 1; }, list: () => 5 });
    const allowed = ["Array", "Object", "Promise", "String"];
    expect([...asked].filter((name) => !allowed.includes(name)), []);
  });

hazard("plans run without the globals that bare contexts lack", "parallel all", async (js) => {
  expect([typeof setTimeout, typeof structuredClone, typeof URL], ["undefined", "undefined", "undefined"]);
  expect((await compile(js)({ a: () => 1, b: () => 2, c: () => 3 })).map((r) => r.ok), [true, true, true]);
});

for (const plan of ["serial all", "parallel last", "fields"])
  test(`a module takes the body of ${plan} [node:vm]`, async () => {
    const host = hosts[0].open();
    const body = await host.importModule(`export default async function (tools) {\n${textOf(plan)}}\n`);
    const result = await body({ a: () => 1, b: () => 2, c: () => 3, list: () => [{ id: 1, name: 2 }] });
    for (const record of [result].flat()) assert.equal(record.ok, true);
  });

test("a host of another realm [node:vm]", async () => {
  const { context } = hosts[0].open();
  class Host { list() { return [{ id: 1, name: "n" }]; } }
  const run = (plan, host) =>
    vm.runInContext("(js, host) => realm.compile(js)(host)", context)(textOf(plan), host);
  for (const name of ["toString", "constructor", "valueOf", "__proto__"])
    for (const host of [{}, new Host(), Host, new Proxy({}, {})]) assert.equal((await run(`call ${name}`, host)).ok, false, name);
  const record = await run("fields", new Host());
  assert.equal(JSON.stringify(record), '{"ok":true,"value":[{"id":1,"name":"n"}]}');
  const thrown = await run("single", { a() { throw new RangeError("from outside"); } });
  assert.equal(JSON.stringify(thrown), '{"ok":false,"error":"from outside"}');
});

// --- the judge of random plans has eyes ---------------------------------------------------------------

const faults = [
  ["calls one after another in place of at once", /return \(await Promise\.allSettled\(\[\n([^]*)\]\)\)\.map\(\(settled\) => settled\.value\)/, (_, calls) => `return [${calls.replace(/ {2}\$+run/g, " await $&")}]`],
  ["calls at once in place of one after another", /return \[\n([^]*)\];\n$/, (_, calls) => `return Promise.all([${calls.replace(/await /g, "")}]);\n`],
  ["a later call's record in place of the last", /\]\)\)\[(\d)\]/, (_, n) => `]))[${n - 1}]`],
  ["a serial call that is not awaited", /await (\$+run\$*\(async \(\) => \{\n {2}(?! ))/, "$1"],
  ["a lost sign of zero", / -0\b(?!\.)/, " 0"],
  ["a changed number", /: (\d+)(?=[, ])/, ": 1$1"],
  ["a changed boolean", /: true(?=[, ](?!value))/, ": false"],
  ["a lost escape", /\\u([0-9a-f]{4})/, "u$1"],
  ["__proto__ as a plain key", /\["__proto__"\]: (?!\$)/, '"__proto__": '],
  ["__proto__ as a plain key of a row", /\["__proto__"\]: (?=\$)/, '"__proto__": '],
  ["inherited members taken for tools", "if (isRoot ", "if (false "],
  ["inherited members of functions taken for tools", "up === null ||", "up === null || false &&"],
  ["a class's constructor taken for a tool", 'name === "constructor"', "false"],
  ["a prototype taken for a tool", 'name === "__proto__"', "false"],
  ["own members alone taken for tools", 'let isTool = typeof f === "function"', 'let isTool = typeof f === "function" && Object.prototype.hasOwnProperty.call(host, name)'],
  ["a function taken from its host", /(return (?:\$shape\$*\(await )?)([^\s(;]+\["[^"\n]*"\])\(\{/, "$1(0, $2)({"],
  ["errors that are not made strings", /\$text\$*\(thrown\)(?= \})/, "thrown"],
  ["a text that trusts what was thrown", / catch \(_\) \{\n[^\n]*\n/, " catch (_) {\n    return String(thrown);\n"],
  ["messages lost", /\? thrown\.message : thrown/, "? thrown : thrown"],
  ["inherited properties taken for fields", "isObject && Object.prototype.hasOwnProperty.call(row, name)", "isObject && name in row"],
  ["rows not looked at", "if (isObject &&", "if (!isObject) return undefined; if ("],
  ["arrays not looked at", /if \(!Array\.isArray\(rows\)\)/, "if (false)"],
  ["the limit before the fields", /i < rows\.length(; [^]*?)if \(i < (\d+)\)/, "i < rows.length && i < $2$1"],
  ["a limit of one more", /if \(i < (\d+)\)/, (_, n) => `if (i <= ${n})`],
  ["a limit of one less without fields", /i < rows\.length && i < (\d+)/, (_, n) => `i < rows.length && i < ${n - 1}`],
];

/// A fault that does not even parse would prove nothing.
const isBody = (js) => {
  try {
    return Boolean(new vm.Script(`(async function () {\n${js}})`));
  } catch {
    return false;
  }
};

test("the judge of random plans notices each of these faults", async (t) => {
  const lines = output(randomPlans, "10000", "2").map((line) => [line, JSON.parse(line).js]);
  for (const [name, pattern, replacement] of faults)
    await t.test(name, async () => {
      const realm = hosts[0].open();
      let tried = 0;
      for (const [line, js] of lines) {
        const changed = js.replace(pattern, replacement);
        if (changed === js || !isBody(changed)) continue;
        ++tried;
        let problem;
        try {
          // The line is text, so that JSON.parse of the engine alone reads names, -0 and __proto__.
          problem = await realm.ask("judge", line.replace(JSON.stringify(js), () => JSON.stringify(changed)));
        } catch (error) {
          problem = String(error);
        }
        if (problem !== "") return;
      }
      assert.fail(`${tried} changed bodies passed`);
    });
});

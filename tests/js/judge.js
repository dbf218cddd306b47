// Evaluated inside each engine, behind realm.js: runs the body of one random plan against tools that
// record their calls and answer as chance has it, and compares what was called and what came back with what
// the plan says, worked out here from the plan alone.
"use strict";

var judge = (() => {
  const { own, show, same, compile, oddities, embeddings } = realm;

  /// Mulberry32: the same sequence in every engine.
  const randomSource = (seed) => {
    const next = () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const below = (n) => Math.floor(next() * n);
    return { chance: (p) => next() < p, below, pick: (list) => list[below(list.length)] };
  };

  const define = (o, key, value) =>
    Object.defineProperty(o, key, { value, writable: true, enumerable: true, configurable: true });

  const anyValue = (random) =>
    random.pick([
      () => undefined, () => null, () => "text", () => -0, () => NaN, () => true, () => Symbol("v"),
      () => ({ id: 1 }), () => [1, [2]], () => () => 1, () => ({ then: 5 }), () => Object.create(null),
      () => Object.freeze([{}]), () => ({ ok: false, error: "a value that looks like a record" }),
    ])();

  /// A row that has most of `fields`, or no row at all.
  const anyRow = (random, fields) => {
    const members = (o) => {
      for (const field of fields) if (random.chance(0.97)) define(o, field, anyValue(random));
      return o;
    };
    if (random.chance(0.9)) return members(random.chance(0.5) ? {} : { extra: 1 });
    return random.pick([
      () => members(Object.create(null)),
      () => Object.create(members({})),  // inherited members are no members
      () => new Proxy(members({}), {}),
      () => (fields.includes("length") ? [] : members([])),
      () => anyValue(random),
      () => Object.defineProperty(members({}), fields[0] || "x", { get: () => "got" }),
      () => Object.defineProperty(members({}), fields[0] || "x", { get() { throw new Error("the getter threw"); } }),
    ])();
  };

  const anyRows = (random, fields) => {
    if (random.chance(0.05)) return random.pick([undefined, null, "rows", {}, { length: 2, 0: {}, 1: {} }, 5]);
    const rows = [];
    const length = random.chance(0.1) ? 100 + random.below(3) : random.below(12);
    const plain = random.chance(0.4);
    for (let i = 0; i < length; i++) {
      if (plain) rows.push(fields.reduce((row, field) => define(row, field, i), {}));
      else if (random.chance(0.01)) rows.length++;
      else rows.push(anyRow(random, fields));
    }
    return random.chance(0.1) ? new Proxy(rows, {}) : rows;
  };

  /// What a call with value `rows` must become under fields and limit: a list of row tests, or the failure.
  const shaped = (rows, { fields = [], limit }) => {
    if (!Array.isArray(rows)) return { ok: false, says: ["array"] };
    const out = [];
    if (fields.length === 0) {
      for (let i = 0; i < rows.length && i < limit; i++) out.push({ whole: rows[i] });
      return { ok: true, rows: out };
    }
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const picked = [];
      for (const field of fields) {
        const isObject = typeof row === "object" && row !== null && !Array.isArray(row);
        if (!isObject || !own(row, field)) return { ok: false, says: ["row " + i + " ", '"' + field + '"'] };
        let value;
        try {
          value = row[field];
        } catch (error) {
          return { ok: false, says: [error.message] };
        }
        picked.push([field, value]);
      }
      out.push({ picked });
    }
    return { ok: true, rows: limit === undefined ? out : out.slice(0, limit) };
  };

  /// An answer that a tool gives: `run` gives or throws it after `ticks` turns (0: at once), `record` says
  /// what must come of it.
  const anyAnswer = (random, output) => {
    const ticks = random.chance(0.3) ? 0 : 1 + random.below(4);
    if (random.chance(0.25)) {
      const [thrown, error] = oddities[random.pick(Object.keys(oddities))]();
      return { ticks, run() { throw thrown; }, record: { ok: false, error } };
    }
    const shapes = output.fields !== undefined || output.limit !== undefined;
    const value = shapes ? anyRows(random, output.fields || []) : anyValue(random);
    const record = shapes ? shaped(value, output) : { ok: true, value };
    if (random.chance(0.1))
      return { ticks, run: () => ({ then: (resolve) => resolve(value) }), record };
    return { ticks, run: () => value, record };
  };

  const pause = async (ticks) => { for (; ticks > 0; --ticks) await undefined; };

  /// Hosts of every kind, with the tools of `tools`, a Map.
  const hosts = {
    plain: (tools) => { const o = {}; tools.forEach((f, name) => define(o, name, f)); return o; },
    bare: (tools) => { const o = Object.create(null); tools.forEach((f, name) => define(o, name, f)); return o; },
    proxy: (tools) => new Proxy({}, { get: (_, name) => tools.get(name) }),
    callableProxy: (tools) => new Proxy(function () {}, { get: (_, name) => tools.get(name) }),
    frozen: (tools) => Object.freeze(hosts.plain(tools)),
    instance: (tools) => {
      class Host {}
      tools.forEach((f, name) => define(Host.prototype, name, f));
      return new Host();
    },
    derived: (tools) => {
      class Base {}
      tools.forEach((f, name) => define(Base.prototype, name, f));
      class Host extends Base {}
      return tools.has("constructor") ? new Base() : new Host();
    },
    functions: (tools) => { const o = () => 0; tools.forEach((f, name) => define(o, name, f)); return o; },
    getters: (tools) => {
      const o = {};
      tools.forEach((f, name) => Object.defineProperty(o, name, { get: () => f }));
      return o;
    },
  };

  const isPlanOf = (plan, truth) => {
    const calls = truth.calls.map(({ tool, args }) => {
      const given = {};
      args.forEach(([name, value]) => define(given, name, value));
      return { tool, args: given };
    });
    const output = { kind: truth.output.kind };
    if (truth.output.fields.length > 0) output.fields = truth.output.fields;
    if (truth.output.limit >= 0) output.limit = truth.output.limit;
    return same(plan, { mode: truth.mode, calls, output });
  };

  /// The first fault of `actual` as the record that `expected` describes, or "".
  const faultOfRecord = (actual, expected, given) => {
    if (typeof actual !== "object" || actual === null) return "no record: " + show(actual);
    const keys = Reflect.ownKeys(actual).join();
    if (keys !== (expected.ok ? "ok,value" : "ok,error")) return "wrong record " + show(actual);
    if (actual.ok !== expected.ok) return "wrong ok in " + show(actual);
    if (!expected.ok) {
      if (typeof actual.error !== "string") return "error is no string: " + show(actual.error);
      const said = own(expected, "says")
        ? expected.says.every((text) => actual.error.includes(text))
        : actual.error === expected.error;
      return said ? "" : "wrong error " + show(actual.error) + " for " + show(expected.says || expected.error);
    }
    if (!own(expected, "rows"))
      return same(actual.value, expected.value, given) ? "" : "wrong value " + show(actual.value);
    const rows = actual.value;
    if (!Array.isArray(rows) || Object.getPrototypeOf(rows) !== Array.prototype) return "no rows: " + show(rows);
    if (rows.length !== expected.rows.length) return "wrong number of rows: " + rows.length;
    for (let i = 0; i < rows.length; i++) {
      const { whole, picked } = expected.rows[i];
      if (!own(rows, i)) return "row " + i + " is a hole";
      if (picked === undefined) {
        if (!Object.is(rows[i], whole)) return "wrong row " + i;
        continue;
      }
      const made = picked.reduce((o, [name, value]) => define(o, name, value), {});
      if (!same(rows[i], made, given)) return "wrong row " + i + ": " + show(rows[i]) + " for " + show(made);
    }
    return "";
  };

  /// Judges one line of random_plans: "" or what is wrong.
  return async (line) => {
    const { truth, plan, js, object, prefix, seed } = JSON.parse(line);
    if (!isPlanOf(plan, truth)) return "the plan's JSON is not the plan: " + show(plan);

    const random = randomSource(seed);
    const events = [];
    const tools = new Map();
    const answers = new Map();
    const expected = [];
    const values = new Set();  // what tools gave: to be met again as it is
    let host;
    for (const { tool } of plan.calls) {
      if (!answers.has(tool)) {
        answers.set(tool, []);
        const spelled = prefix === undefined || /^[\p{ID_Continue}$\u200c\u200d]*$/u.test(tool);
        if (spelled && random.chance(0.9)) {
          tools.set(tool, function (...given) {
            const call = answers.get(tool).shift();
            events.push({ start: call.index, given, self: this });
            const run = () => { events.push({ end: call.index }); return call.run(); };
            if (call.ticks === 0) return run();
            return pause(call.ticks).then(run);
          });
        }
      }
      if (!tools.has(tool)) {
        expected.push({ missing: true, ok: false, error: 'there is no tool "' + tool + '"' });
        continue;
      }
      const answer = anyAnswer(random, plan.output);
      if (answer.record.ok && typeof answer.record.value === "object") values.add(answer.record.value);
      answers.get(tool).push({ index: expected.length, ...answer });
      expected.push({ missing: false, ticks: answer.ticks, ...answer.record });
    }

    const kind = random.pick(Object.keys(hosts));
    const embed = random.pick(embeddings);
    let result;
    if (prefix === undefined) {
      host = hosts[kind](tools);
      result = await compile(js, object, embed)(host);
    } else {
      const names = [...tools.keys()];
      result = await compile(js, names.map((name) => prefix + name).join(), embed)(...names.map((name) => tools.get(name)));
    }

    // What was called.
    const where = " (" + kind + " host, " + embed + ")";
    const called = expected.map((_, index) => index).filter((index) => !expected[index].missing);
    const starts = events.filter((event) => own(event, "start"));
    if (starts.map((event) => event.start).join() !== called.join()) return "wrong calls" + where;
    for (const { start, given, self } of starts) {
      if (given.length !== 1 || !same(given[0], plan.calls[start].args))
        return "wrong arguments of call " + start + ": " + show(given) + where;
      if (prefix === undefined && self !== host) return "`this` is not the host" + where;
    }
    // When.
    const order = events.map((event) => (own(event, "start") ? "s" + event.start : "e" + event.end));
    if (plan.mode === "parallel") {
      const firstEnd = order.findIndex((e) => e[0] === "e" && expected[e[1]].ticks > 0);
      const lastStart = order.map((e) => e[0]).lastIndexOf("s");
      if (firstEnd >= 0 && firstEnd < lastStart) return "not parallel: " + order + where;
    } else if (order.join() !== called.map((i) => "s" + i + ",e" + i).join()) {
      return "not serial: " + order + where;
    }
    if (order.length !== 2 * called.length) return "a call was not awaited: " + order + where;

    // What came back.
    const last = expected[expected.length - 1];
    if (plan.output.kind === "last") {
      const fault = faultOfRecord(result, last, values);
      return fault && fault + where;
    }
    if (!Array.isArray(result) || result.length !== expected.length) return "wrong result " + show(result) + where;
    for (let i = 0; i < expected.length; i++) {
      const fault = faultOfRecord(result[i], expected[i], values);
      if (fault) return "record " + i + ": " + fault + where;
    }
    return "";
  };
})();

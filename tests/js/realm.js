// Evaluated inside each engine. Plain ECMAScript: a bare context has nothing else.
"use strict";

var realm = (() => {
  const own = (o, key) => Object.prototype.hasOwnProperty.call(o, key);

  /// Text for messages; never throws.
  const show = (x) => {
    try {
      if (Object.is(x, -0)) return "-0";
      if (typeof x === "object" && x !== null) {
        const members = Reflect.ownKeys(x).map((key) => String(key) + ": " + show(x[key]));
        return (Array.isArray(x) ? "[" : "{") + members.join(", ") + (Array.isArray(x) ? "]" : "}");
      }
      return typeof x === "string" ? JSON.stringify(x) : String(x);
    } catch (_) {
      return "(cannot be shown)";
    }
  };

  /// Whether a plain value made by a body is `b`: the same keys in the same order, own and of data,
  /// prototypes of this realm; primitives as Object.is has them. Objects that tools made are the same objects.
  const same = (a, b, given = new Set()) => {
    if (Object.is(a, b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || given.has(b)) return false;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    const keys = Reflect.ownKeys(a);
    const others = Reflect.ownKeys(b);
    if (keys.length !== others.length) return false;
    return keys.every((key, i) => {
      const one = Object.getOwnPropertyDescriptor(a, key);
      const two = Object.getOwnPropertyDescriptor(b, key);
      return key === others[i] && own(one, "value") && own(two, "value") && same(one.value, two.value, given);
    });
  };

  /// The async function of a body. `embed` picks the surroundings.
  const surroundings = {
    sloppy: (names, js) => `(async function (${names}) {\n${js}})`,
    strict: (names, js) => `(function () { "use strict"; return async function (${names}) {\n${js}}; })()`,
    arrow: (names, js) => `(async (${names}) => {${js}})`,
    method: (names, js) => `(class { static async m(${names}) {\n${js}} }).m`,
  };
  const compile = (js, names = "tools", embed = "sloppy") => (0, eval)(surroundings[embed](names, js));

  /// What is thrown, and the error text that it must become. Anything: the value can be odd in many ways.
  const noText = "the tool threw a value that has no text";
  const revoked = (target) => {
    const { proxy, revoke } = Proxy.revocable(target, {});
    revoke();
    return proxy;
  };
  const oddities = {
    "an Error": () => [new Error("boom"), "boom"],
    "a TypeError": () => [new TypeError("not a team"), "not a team"],
    "an Error without a message": () => [new Error(""), "Error"],
    "an Error whose message is no string": () => [Object.assign(new Error("x"), { message: { a: 1 } }), "Error: [object Object]"],
    "a subclass": () => [new (class Refused extends Error {})("refused"), "refused"],
    "a string": () => ["just text", "just text"],
    "an empty string": () => ["", ""],
    "a lone surrogate": () => ["\ud800", "\ud800"],
    "undefined": () => [undefined, "undefined"],
    "null": () => [null, "null"],
    "a number": () => [-0, "0"],
    "a BigInt": () => [BigInt(7), "7"],
    "a Symbol": () => [Symbol("s"), "Symbol(s)"],
    "an object with a message": () => [{ message: "from an object" }, "from an object"],
    "an object": () => [{ code: 5 }, "[object Object]"],
    "an array": () => [[1, 2], "1,2"],
    "a function": () => [() => 1, String(() => 1)],
    "a null-prototype object": () => [Object.create(null), noText],
    "a null-prototype object with a message": () => [Object.assign(Object.create(null), { message: "m" }), "m"],
    "a message getter that throws": () => [{ get message() { throw 1; } }, noText],
    "a message getter that throws a revoked proxy": () => [{ get message() { throw revoked({}); } }, noText],
    "a revoked proxy": () => [revoked({}), noText],
    "a revoked callable proxy": () => [revoked(() => 1), noText],
    "a proxy whose traps throw": () => [new Proxy({}, { get() { throw new Error("trap"); } }), noText],
    "a toString that throws": () => [{ toString() { throw 1; } }, noText],
    "a toString that gives an object": () => [{ toString: () => ({}), valueOf: () => ({}) }, noText],
    "a toPrimitive that gives a Symbol": () => [{ [Symbol.toPrimitive]: () => Symbol() }, noText],
    "an object of a message Symbol": () => [{ message: Symbol() }, "[object Object]"],
  };

  /// Throws unless `actual` is the same plain value as `expected`.
  const expect = (actual, expected) => {
    if (!same(actual, expected)) throw new Error("got " + show(actual) + ", expected " + show(expected));
  };

  return { own, show, same, expect, compile, oddities, noText, embeddings: Object.keys(surroundings) };
})();

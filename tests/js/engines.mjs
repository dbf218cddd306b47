// The hosts that compiled plans run in: Node's vm with a bare context, and QuickJS. An engine opens
// realms; a realm evaluates scripts and answers questions, text in and text out, so that everything a
// test makes (tools, results, what is thrown) lives in the engine itself.

import { readFileSync } from "node:fs";
import vm from "node:vm";

const scripts = ["realm.js", "judge.js"].map((name) => [name, readFileSync(new URL(name, import.meta.url), "utf8")]);

const node = {
  name: "node:vm",
  open() {
    const context = vm.createContext();
    for (const [filename, source] of scripts) vm.runInContext(source, context, { filename });
    return {
      context,
      async ask(question, text) {
        return await vm.runInContext(question, context)(text);
      },
      async importModule(source) {
        return (await import("data:text/javascript;charset=utf-8," + encodeURIComponent(source))).default;
      },
      close() {},
    };
  },
};

function quickjs(QuickJS) {
  return {
    name: "QuickJS",
    open() {
      const context = QuickJS.newContext();
      const { runtime } = context;
      const check = (result) => context.unwrapResult(result);
      for (const [filename, source] of scripts) check(context.evalCode(source, filename)).dispose();
      return {
        async ask(question, text) {
          const ask = check(context.evalCode(question, "question.js"));
          const argument = context.newString(text);
          const promise = check(context.callFunction(ask, context.undefined, argument));
          const settled = context.resolvePromise(promise);
          check(runtime.executePendingJobs());
          const state = context.getPromiseState(promise);
          if (state.type === "pending") throw new Error("the answer never came");
          const answer = check(await settled);
          const answered = context.getString(answer);
          for (const handle of [answer, promise, argument, ask]) handle.dispose();
          return answered;
        },
        close() {
          context.dispose();
        },
      };
    },
  };
}

/// Both engines. Ends the program with a message where the package is not installed: a host that was
/// not tested is no passed test.
export async function engines() {
  let package_;
  try {
    package_ = await import("quickjs-emscripten");
  } catch (error) {
    console.error("The JavaScript tests need the npm package quickjs-emscripten: run `npm ci` in tests/js,");
    console.error("or configure with -DCODEMODE_JS_TESTS=OFF to leave these tests out.");
    console.error(String(error.message));
    process.exit(1);
  }
  return [node, quickjs(await package_.getQuickJS())];
}

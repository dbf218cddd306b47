// Runs random plans in every engine: node random_plans.mjs GENERATOR [COUNT [SEED]]

import { spawn } from "node:child_process";
import { engines } from "./engines.mjs";
import { lines } from "./lines.mjs";

const [generator, count = "10000", seed = "1"] = process.argv.slice(2);
if (generator === undefined) {
  console.error("usage: node random_plans.mjs GENERATOR [COUNT [SEED]]");
  process.exit(2);
}

const plansPerRealm = 500; // memory of an engine stays small
const shownProblems = 5;

const hosts = (await engines()).map((engine) => ({ engine, realm: engine.open(), ran: 0, problems: 0 }));

async function run(host, line) {
  if (host.ran > 0 && host.ran % plansPerRealm === 0) {
    host.realm.close();
    host.realm = host.engine.open();
  }
  host.ran++;
  let problem;
  try {
    problem = await host.realm.ask("judge", line);
  } catch (error) {
    problem = "the body failed: " + (error && error.message);
  }
  if (problem === "") return;
  if (host.problems++ < shownProblems) console.error(`${host.engine.name}: ${problem}\n  ${line}`);
}

const child = spawn(generator, [count, seed], { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((resolve, reject) => {
  child.on("error", reject);
  child.on("close", resolve);
});
for await (const line of lines(child.stdout)) for (const host of hosts) await run(host, line);
const status = await ended;

let good = status === 0;
if (!good) console.error(`${generator} ended with ${status}`);
for (const { engine, realm, ran, problems } of hosts) {
  realm.close();
  console.log(`${engine.name}: ${ran} plans run, ${problems} problems`);
  good &&= problems === 0 && ran === Number(count);
}
process.exit(good ? 0 : 1);

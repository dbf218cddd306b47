// The lines of a stream of UTF-8, cut at \n alone. (node:readline also cuts at U+2028, which is text in JSON.)
export async function* lines(stream) {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts;
  }
  if (rest !== "") yield rest;
}

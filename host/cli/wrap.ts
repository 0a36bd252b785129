/** Text over several lines, broken between words. */

/** Characters a terminal shows; styles take no room. */
function shownLength(text: string): number {
  return text.replace(/\u001b\[\d+m/g, "").length;
}

/**
 * Lines of at most `width` characters. A longer word is broken with `words: "break"`, so that nothing of it is
 * lost in a table; with `"keep"` it gets a line of its own and the terminal breaks it, so that it can be copied.
 */
export function wrap(text: string, width: number, words: "break" | "keep"): string[] {
  const lines: string[] = [];
  let line = "";
  for (const given of text.split(" ")) {
    let word = given;
    if (line !== "" && shownLength(line) + 1 + shownLength(word) > width) {
      lines.push(line);
      line = "";
    }
    while (words === "break" && word.length > width) {
      lines.push(word.slice(0, width));
      word = word.slice(width);
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

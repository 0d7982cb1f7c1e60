/** Finds member names that occur twice in one object, which `JSON.parse` hides by taking the last. */

// A whole string with the colon that makes it a member name, or a bracket. JSON closes every string; the pattern does
// not insist on it, which keeps the search linear.
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?(\s*:)?|[{}[\]]/g;

/** No decision is nested deeper, and a set for each of a million brackets would fill the memory. */
const DEPTH_MAX = 64;

/**
 * `json` must already have passed `JSON.parse`; names are compared after unescaping. Anything too deep to check counts
 * as having duplicates.
 */
export function hasDuplicateMembers(json: string): boolean {
  const open: Set<string>[] = [];
  for (const [token, colon] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') {
      if (open.length === DEPTH_MAX) return true;
      open.push(new Set());
    }
    if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name: string = JSON.parse(token.slice(0, -colon.length));
      const names = open.at(-1)!;
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}

/** Detects misspelled members, because an ignored `requiredControl` would silently loosen the decision. */

/** Shorter names are too close to ordinary words to guess at. */
const SHORTEST_GUESSED_NAME = 8;

export interface KnownNames {
  readonly names: ReadonlySet<string>;
  /** Maps each name's plain spelling to the name. */
  readonly spellings: ReadonlyMap<string, string>;
}

export function knownNames(names: readonly string[]): KnownNames {
  return { names: new Set(names), spellings: new Map(names.map((name) => [plainSpelling(name), name])) };
}

/** The known name that `name` is a spelling of, or null. */
export function knownNameMeantBy(name: string, { spellings }: KnownNames): string | null {
  const plain = plainSpelling(name);
  for (const [spelling, known] of spellings) {
    if (plain === spelling) return known;
    if (known.length >= SHORTEST_GUESSED_NAME && isOneEditAway(plain, spelling)) return known;
  }
  return null;
}

export function plainSpelling(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** One insertion, deletion, change, or swap of neighbours; the two texts must differ. */
function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let prefix = 0;
  while (a[prefix] === b[prefix]) prefix += 1;
  const restA = a.slice(prefix);
  const restB = b.slice(prefix);
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}

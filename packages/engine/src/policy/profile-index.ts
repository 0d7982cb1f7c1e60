/** Finds the profiles that match an intent without evaluating those of other systems and object types. */
import type { WriteIntent } from '@writecheck/contract';
import type { Match, Pattern } from './documents.ts';
import { asciiLower, compilePattern, isGlob, type Matcher } from './match.ts';
import type { Profile } from './snapshot.ts';

interface IndexedProfile {
  readonly profile: Profile;
  readonly match: Match;
  /** Whether it says `absent: skip`. */
  readonly absentSkips: boolean;
}

interface Candidate {
  readonly profile: Profile;
  /** Position in the order of ids. */
  readonly rank: number;
  /** The result if this profile matches alone. */
  readonly alone: readonly Profile[];
  /** An intent that omits this one of `field` and `operation` and sends the other does not match. */
  readonly insteadOf: 'field' | 'operation' | null;
  readonly system: Matcher | null;
  readonly objectType: Matcher | null;
  readonly field: Matcher | null;
  readonly operation: Matcher | null;
}

/** The candidates of one system, or of no particular one. */
interface Shelf {
  readonly all: Candidate[];
  /** Null until it is needed: a bundle may name a hundred thousand systems, and a map for each is heavy. */
  byType: Map<string, Candidate[]> | null;
  readonly anyType: Candidate[];
}

/** A profile of many systems and many types would take a place for every combination. */
const PLACES_MAX = 1_024;
const SYSTEMS_PER_STEP = 100;
const NONE: readonly never[] = Object.freeze([]);

/** Add profiles in order of id; the results have the same order. */
export class ProfileIndex {
  readonly #bySystem = new Map<string, Shelf>();
  readonly #anySystem = newShelf();
  #added = 0;

  /** Adds in small steps, for a caller that must not block other work for long. */
  *add(indexed: IndexedProfile): Generator<void, void> {
    const candidate = candidateFrom(indexed, this.#added);
    this.#added += 1;
    const systems = exactTexts(indexed.match.system);
    const listed = exactTexts(indexed.match.objectType);
    const types = listed !== null && listed.size * (systems?.size ?? 1) <= PLACES_MAX ? listed : null;
    if (systems === null) place(this.#anySystem, candidate, types);
    else {
      let placed = 0;
      for (const system of systems) {
        place(shelfFor(this.#bySystem, system), candidate, types);
        placed += 1;
        if (placed % SYSTEMS_PER_STEP === 0) yield;
      }
    }
  }

  readonly find = (intent: WriteIntent): readonly Profile[] => {
    const anySystem = this.#anySystem;
    const system = asciiLower(intent.system);
    const objectType = intent.objectType === undefined ? undefined : asciiLower(intent.objectType);
    const shelf = this.#bySystem.get(system);
    // INVARIANT: a profile is on one list of at most one of the two shelves, so nothing is found twice.
    const one =
      shelf === undefined
        ? NONE
        : objectType === undefined
          ? shelf.all
          : (shelf.byType?.get(objectType) ?? NONE);
    const two = shelf === undefined || objectType === undefined ? NONE : shelf.anyType;
    const three = objectType === undefined ? anySystem.all : (anySystem.byType?.get(objectType) ?? NONE);
    const four = objectType === undefined ? NONE : anySystem.anyType;
    if (one.length + two.length + three.length + four.length === 0) return NONE;
    const query: Query = {
      system,
      objectType,
      field: intent.field === undefined ? undefined : asciiLower(intent.field),
      operation: intent.operation === undefined ? undefined : asciiLower(intent.operation),
    };
    const found: Candidate[] = [];
    let lists = accept(one, query, found);
    lists += accept(two, query, found);
    lists += accept(three, query, found);
    lists += accept(four, query, found);
    if (found.length === 0) return NONE;
    if (found.length === 1) return found[0]!.alone;
    if (lists > 1) found.sort((a, b) => a.rank - b.rank);
    return found.map((candidate) => candidate.profile);
  };
}

interface Query {
  readonly system: string;
  readonly objectType: string | undefined;
  readonly field: string | undefined;
  readonly operation: string | undefined;
}

/** Adds the matching profiles; returns 1 if there were any. */
function accept(candidates: readonly Candidate[], query: Query, found: Candidate[]): 0 | 1 {
  const before = found.length;
  for (let index = 0; index < candidates.length; index += 1) {
    const candidate = candidates[index]!;
    if (
      accepts(candidate.system, query.system) &&
      accepts(candidate.objectType, query.objectType) &&
      accepts(candidate.field, query.field) &&
      accepts(candidate.operation, query.operation) &&
      (candidate.insteadOf === null || !isOtherAlone(candidate.insteadOf, query))
    ) {
      found.push(candidate);
    }
  }
  return found.length === before ? 0 : 1;
}

/** A member that the intent omits counts as matching. */
function accepts(matcher: Matcher | null, text: string | undefined): boolean {
  return matcher === null || text === undefined || matcher(text);
}

function isOtherAlone(member: 'field' | 'operation', query: Query): boolean {
  const other = member === 'field' ? query.operation : query.field;
  return query[member] === undefined && other !== undefined;
}

function candidateFrom({ profile, match, absentSkips }: IndexedProfile, rank: number): Candidate {
  const matcher = (pattern: Pattern | undefined) => (pattern === undefined ? null : compilePattern(pattern));
  return {
    profile,
    rank,
    alone: Object.freeze([profile]),
    insteadOf: absentSkips ? matchedAlone(match) : null,
    system: matcher(match.system),
    objectType: matcher(match.objectType),
    field: matcher(match.field),
    operation: matcher(match.operation),
  };
}

function matchedAlone({ field, operation }: Match): 'field' | 'operation' | null {
  if ((field === undefined) === (operation === undefined)) return null;
  return field === undefined ? 'operation' : 'field';
}

function newShelf(): Shelf {
  return { all: [], byType: null, anyType: [] };
}

function shelfFor(bySystem: Map<string, Shelf>, system: string): Shelf {
  let shelf = bySystem.get(system);
  if (shelf === undefined) {
    shelf = newShelf();
    bySystem.set(system, shelf);
  }
  return shelf;
}

/** `types` is null for a candidate that must be evaluated for every object type. */
function place(shelf: Shelf, candidate: Candidate, types: ReadonlySet<string> | null): void {
  shelf.all.push(candidate);
  if (types === null) {
    shelf.anyType.push(candidate);
    return;
  }
  shelf.byType ??= new Map();
  for (const type of types) {
    const list = shelf.byType.get(type);
    if (list === undefined) shelf.byType.set(type, [candidate]);
    else list.push(candidate);
  }
}

/** The texts that a pattern stands for, each once; null if it is omitted or contains a glob. */
function exactTexts(pattern: Pattern | undefined): ReadonlySet<string> | null {
  if (pattern === undefined) return null;
  const texts = typeof pattern === 'string' ? [pattern] : pattern;
  return texts.some(isGlob) ? null : new Set(texts.map(asciiLower));
}

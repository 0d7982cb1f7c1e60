/**
 * Parses YAML text into plain documents, refusing what JSON could not express, with line and column for every error.
 */
import {
  type Document,
  isAlias,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
} from 'yaml';
import { quoted } from '../policy/faults.ts';

export interface Place {
  readonly line: number;
  readonly column: number;
}

type ParsedYaml =
  | {
      readonly kind: 'documents';
      readonly documents: readonly unknown[];
      /** Where a place within a document is in the text. */
      readonly placeOf: (documentIndex: number, pointer: string) => Place | null;
      /** The first and the last line of the value; null if there is none. */
      readonly linesOf: (documentIndex: number, pointer: string) => readonly [number, number] | null;
    }
  | { readonly kind: 'faults'; readonly faults: readonly (Place & { readonly message: string })[] };

const TOO_DEEP = 'the text is nested too deeply';
const FAULTS_MAX = 20;

type YamlFault = Place & { readonly message: string };

export function parsePolicyYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  let parsed: readonly Document[];
  try {
    const result = parseAllDocuments(text, {
      lineCounter: lines,
      uniqueKeys: false,
      merge: false,
      prettyErrors: false,
    });
    parsed = [...result].filter((document) => document.errors.length > 0 || !isEmpty(document));
  } catch {
    return { kind: 'faults', faults: [{ line: 1, column: 1, message: TOO_DEEP }] };
  }
  const faults = parsed.flatMap((document) => faultsOf(document, lines));
  if (faults.length > 0) return { kind: 'faults', faults: inShort(faults) };
  return {
    kind: 'documents',
    documents: parsed.map((document) => document.toJS({ maxAliasCount: 0 })),
    placeOf: (documentIndex, pointer) => placeIn(parsed[documentIndex], pointer, lines),
    linesOf: (documentIndex, pointer) => linesIn(parsed[documentIndex], pointer, lines),
  };
}

/** Many parser errors about one broken bracket help nobody. */
function inShort(faults: readonly YamlFault[]): readonly YamlFault[] {
  const deep = faults.find(({ message }) => /call stack/i.test(message));
  if (deep !== undefined) return [{ ...deep, message: TOO_DEEP }];
  if (faults.length <= FAULTS_MAX) return faults;
  const shown = faults.slice(0, FAULTS_MAX);
  const rest = `and ${faults.length - FAULTS_MAX} more errors, which may follow from these`;
  return [...shown, { ...shown.at(-1)!, message: rest }];
}

/** True if there are only spaces and comments between two markers. */
function isEmpty({ contents }: Document): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && !contents.source);
}

function faultsOf(document: Document, lines: LineCounter): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  const add = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    faults.push({ line, column: col, message });
  };
  for (const fault of [...document.errors, ...document.warnings]) {
    add(
      fault.pos[0],
      inOneLine(fault.message).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()),
    );
  }
  if (faults.length > 0) return faults;
  visit(document, {
    // An alias can make a small text grow without bound, and means nothing more than the written-out value.
    Alias: (_key, node) => add(offsetOf(node), 'aliases are not supported; write the value out'),
    // Finds duplicates in one pass: the library compares every name with every other.
    Map: (_key, map) => {
      const names = new Set<string>();
      for (const { key } of map.items) {
        const name = String(isScalar(key) ? key.value : key);
        if (names.has(name)) add(isNode(key) ? offsetOf(key) : 0, `the member ${quoted(name)} appears twice`);
        names.add(name);
      }
    },
    Pair: (_key, pair) => {
      const name = isNode(pair.key) ? (pair.key.toJSON() as unknown) : pair.key;
      const offset = isNode(pair.key) ? offsetOf(pair.key) : 0;
      if (typeof name !== 'string' && typeof name !== 'number') add(offset, 'a member name must be a string');
      else if (name === '__proto__') add(offset, 'a member must not be named `__proto__`');
    },
    Scalar: (_key, node) => {
      const { value } = node;
      if (value === null || typeof value === 'boolean') return;
      if (typeof value === 'string' && value.isWellFormed()) return;
      if (typeof value === 'number' && Number.isFinite(value) && !isUnsafeInteger(value)) return;
      add(offsetOf(node), 'this value has no JSON form; put it in quotes');
    },
  });
  return faults;
}

const MESSAGE_CHARACTERS_MAX = 200;

/** The library's message may repeat text of any length. */
function inOneLine(message: string): string {
  const [line] = message.slice(0, MESSAGE_CHARACTERS_MAX + 1).split('\n', 1);
  return line!.length > MESSAGE_CHARACTERS_MAX
    ? `${line!.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()}…`
    : line!;
}

function isUnsafeInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function offsetOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function pathOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function nodeAt(document: Document, path: readonly string[]): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

function linesIn(
  document: Document | undefined,
  pointer: string,
  lines: LineCounter,
): readonly [number, number] | null {
  const node = document === undefined ? null : nodeAt(document, pathOf(pointer));
  if (!isNode(node) || !node.range) return null;
  const [start, end] = node.range;
  return [lines.linePos(start).line, lines.linePos(Math.max(start, end - 1)).line];
}

function placeIn(document: Document | undefined, pointer: string, lines: LineCounter): Place | null {
  if (document === undefined) return null;
  const path = pathOf(pointer);
  // The innermost part that exists: a missing member is reported at the object that lacks it.
  for (let length = path.length; length >= 0; length -= 1) {
    const node = nodeAt(document, path.slice(0, length));
    if (isNode(node) && !isAlias(node) && node.range) {
      const { line, col } = lines.linePos(node.range[0]);
      return { line, column: col };
    }
  }
  return null;
}

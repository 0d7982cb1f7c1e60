/** Reads policy documents as somebody types them, with the place of every fault; the service reads them the same way. */
import {
  type Document,
  isAlias,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  stringify,
  visit,
} from 'yaml';

export interface PlacedFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type ReadYaml =
  | {
      readonly kind: 'documents';
      readonly documents: readonly unknown[];
      readonly placeOf: (documentIndex: number, pointer: string) => Omit<PlacedFault, 'message'>;
      /** The first and the last line of what stands there; null where nothing does. */
      readonly linesOf: (documentIndex: number, pointer: string) => readonly [number, number] | null;
    }
  | { readonly kind: 'faults'; readonly faults: readonly PlacedFault[] };

const START = { line: 1, column: 1 };
const TOO_DEEP: PlacedFault = { ...START, message: 'the text is nested too deeply to be read' };
const MOST_FAULTS = 20;

export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  let documents: readonly Document[];
  try {
    const options = { lineCounter: lines, uniqueKeys: false, merge: false, prettyErrors: false };
    documents = [...parseAllDocuments(text, options)].filter(
      (document) => document.errors.length > 0 || !isEmpty(document),
    );
  } catch {
    return { kind: 'faults', faults: [TOO_DEEP] };
  }
  const faults = documents.flatMap((document) => faultsOf(document, lines));
  if (faults.length > 0) return { kind: 'faults', faults: inShort(faults) };
  return {
    kind: 'documents',
    documents: documents.map((document) => document.toJS({ maxAliasCount: 0 })),
    placeOf: (index, pointer) => placeIn(documents[index], pointer, lines),
    linesOf: (index, pointer) => {
      const path = pathOf(pointer);
      const document = documents[index];
      const node: unknown = path.length === 0 ? document?.contents : document?.getIn(path, true);
      if (!isNode(node) || !node.range) return null;
      const [start, end] = node.range;
      return [lines.linePos(start).line, lines.linePos(Math.max(start, end - 1)).line];
    },
  };
}

/** What the parser says of one broken bracket after another helps nobody. */
function inShort(faults: readonly PlacedFault[]): readonly PlacedFault[] {
  const deep = faults.find(({ message }) => /call stack/i.test(message));
  if (deep !== undefined) return [{ ...deep, message: TOO_DEEP.message }];
  if (faults.length <= MOST_FAULTS) return faults;
  const told = faults.slice(0, MOST_FAULTS);
  const rest = `and ${faults.length - MOST_FAULTS} more faults, which may follow from these`;
  return [...told, { ...told.at(-1)!, message: rest }];
}

function isEmpty({ contents }: Document): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && !contents.source);
}

function faultsOf(document: Document, lines: LineCounter): readonly PlacedFault[] {
  const faults: PlacedFault[] = [];
  const add = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    faults.push({ line, column: col, message });
  };
  for (const { pos, message } of [...document.errors, ...document.warnings])
    add(
      pos[0],
      message.split('\n', 1)[0]!.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()),
    );
  if (faults.length > 0) return faults;
  visit(document, {
    Alias: (_key, node) => add(offsetOf(node), 'aliases are not supported; write the value out'),
    Map: (_key, map) => {
      const names = new Set<string>();
      for (const { key } of map.items) {
        const name = String(isScalar(key) ? key.value : key);
        if (names.has(name)) add(isNode(key) ? offsetOf(key) : 0, `the member \`${name}\` is there twice`);
        names.add(name);
      }
    },
    Pair: (_key, { key }) => {
      const name = isNode(key) ? (key.toJSON() as unknown) : key;
      const offset = isNode(key) ? offsetOf(key) : 0;
      if (typeof name !== 'string' && typeof name !== 'number') add(offset, 'a member name must be a text');
      else if (name === '__proto__') add(offset, 'a member must not be named `__proto__`');
    },
    Scalar: (_key, node) => {
      if (!isJson(node.value)) add(offsetOf(node), 'this value cannot be said in JSON; put it in quotes');
    },
  });
  return faults;
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  return !Number.isInteger(value) || Number.isSafeInteger(value);
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

/** The innermost part that exists: a missing member is shown at the object that lacks it. */
function placeIn(document: Document | undefined, pointer: string, lines: LineCounter) {
  const path = pathOf(pointer);
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document?.contents : document?.getIn(path.slice(0, length), true);
    if (!isNode(node) || isAlias(node) || !node.range) continue;
    const { line, col } = lines.linePos(node.range[0]);
    return { line, column: col };
  }
  return START;
}

const KINDS = ['Defaults', 'ControlPack', 'Profile', 'Workflow', 'EvidenceSource', 'PolicyTest'];
const MEMBERS = (
  'kind id version controlPack match absent when require authority compare profiles writePolicy observeUntil ' +
  'unmatched controls keys now intent expect'
).split(' ');

interface AnyDocument {
  readonly kind: string;
  readonly id?: string;
}

/** Documents as a person would write them: what belongs together stands together. */
export function printDocuments(documents: readonly AnyDocument[]): string {
  const rank = ({ kind }: AnyDocument) => KINDS.indexOf(kind);
  return [...documents]
    .sort((a, b) => rank(a) - rank(b))
    .map(printDocument)
    .join('---\n');
}

export function printDocument(document: AnyDocument): string {
  const place = (name: string) => (MEMBERS.includes(name) ? MEMBERS.indexOf(name) : MEMBERS.length);
  const members = Object.entries(document).sort(([a], [b]) => place(a) - place(b));
  return stringify(Object.fromEntries(members), { lineWidth: 100, aliasDuplicateObjects: false });
}

/** What the record says, as a decision used it: the values of each control's facts, and which rules read them. */
import { type EvidenceItem, type FactsReading, isObject, type WriteIntent } from '@writecheck/contract';
import { type ControlDefinition, compileMatch, type PolicyDocument, shownFacts } from '@writecheck/engine';
import { claimedFacts, type RecordValues } from './evidence-facts.ts';

/** Null if no facts were used, or if this page cannot tell which item they came from. */
export function valuesOf(
  { controlId, status, source }: FactsReading,
  items: readonly EvidenceItem[],
  factsOf: (item: EvidenceItem, at: number) => RecordValues | null = claimedFacts,
): RecordValues | null {
  if (status !== 'used') return null;
  const [first, ...more] = items.flatMap((item, at) => {
    const facts = item.controlId === controlId && item.source === source ? factsOf(item, at) : null;
    return facts === null ? [] : [facts];
  });
  // INVARIANT: what a forged item beside the good one says is never shown as the record.
  const text = JSON.stringify(first);
  return first === undefined || more.some((other) => JSON.stringify(other) !== text) ? null : first;
}

/** A control as the bundle defines it. */
export function controlIn(documents: readonly PolicyDocument[], controlId: string): ControlDefinition | null {
  for (const document of documents)
    if (document.kind === 'ControlPack' && Object.hasOwn(document.controls, controlId))
      return document.controls[controlId]!;
  return null;
}

/** The rules that read each path below `facts`, such as `facts.order.amount`. */
export type Reads = ReadonlyMap<string, readonly string[]>;

/** Of the rules that this write is for. */
export function readsOf(documents: readonly PolicyDocument[], intent: WriteIntent): Reads {
  const reads = new Map<string, string[]>();
  for (const document of documents) {
    if (document.kind !== 'Profile' && document.kind !== 'Limit') continue;
    if (document.match !== undefined && !compileMatch(document.match)(intent)) continue;
    const inCondition = document.when === undefined ? [] : shownFacts(document.when, () => null);
    const counted =
      document.kind === 'Limit' ? [...(document.by ?? []), ...(document.sum ? [document.sum] : [])] : [];
    const paths = new Set([
      ...inCondition.map(({ path }) => path),
      ...counted.filter((path) => path.startsWith('facts.')),
    ]);
    for (const path of paths) reads.set(path, [...(reads.get(path) ?? []), document.id]);
  }
  return reads;
}

/** Who reads this value, or something inside it, or what holds it. */
export function readersOf(reads: Reads, path: string): readonly string[] {
  const found = [...reads].filter(([read]) => read === path || holds(read, path) || holds(path, read));
  return [...new Set(found.flatMap(([, ids]) => ids))];
}

function holds(outer: string, inner: string): boolean {
  return inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

/** A value to show, or a list of objects, which is shown as a table. */
export interface RecordRow {
  readonly names: readonly string[];
  readonly value: unknown;
  /** The currency that stands beside an amount. */
  readonly currency: string | null;
}

const TABLE_COLUMNS_MAX = 6;

/** Objects are opened; lists of flat objects and all other values are rows. */
export function rowsOf(values: RecordValues, names: readonly string[] = []): readonly RecordRow[] {
  const currency = typeof values.currency === 'string' ? values.currency : null;
  return Object.entries(values).flatMap(([name, value]) => {
    const path = [...names, name];
    return isObject(value) && Object.keys(value).length > 0
      ? rowsOf(value, path)
      : [{ names: path, value, currency: typeof value === 'number' ? currency : null }];
  });
}

/** The columns of a list of flat objects; null for any other value. */
export function columnsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFlat)) return null;
  const all = [...new Set(value.flatMap((each) => Object.keys(each)))];
  // An amount shows its currency.
  const columns = all.some(isAmount) ? all.filter((column) => column !== 'currency') : all;
  return columns.length === 0 || columns.length > TABLE_COLUMNS_MAX ? null : columns;
}

/** Whether a number of this name is money. */
export function isAmount(name: string): boolean {
  return /(amount|total|price|sum|balance)$/i.test(name);
}

function isFlat(value: unknown): value is RecordValues {
  return isObject(value) && Object.values(value).every((each) => typeof each !== 'object' || each === null);
}

/** `createdAt` is "Created at"; the path itself is for the hover. */
export function nameInWords(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

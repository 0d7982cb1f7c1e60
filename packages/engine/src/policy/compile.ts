/** Compiles documents as their author wrote them into a snapshot, or reports every error in them. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson, DOCUMENTS_MAX, intentFromValue, type JsonObject } from '@writecheck/contract';
import { type CompiledCondition, compileCondition, isTooLong } from '../conditions/condition.ts';
import { buildSnapshot, type ConditionedDocument } from './build-snapshot.ts';
import { checkBundle, type KnownIds, type PlacedDocument } from './check-bundle.ts';
import { checkLimits, type KnownToLimits } from './check-limits.ts';
import { copyJson, type SizeBudget } from './copy-json.ts';
import { DOCUMENT_KINDS, shapeOf } from './document-shapes.ts';
import type { PolicyDocument } from './documents.ts';
import { didYouMean, type PolicyFault, quoted } from './faults.ts';
import { reportPrivateMembers } from './public-jwk.ts';
import { checkShape, isObject, jsonTypeOf, type ReportFault } from './shape.ts';
import type { PolicySnapshot } from './snapshot.ts';

export const BUNDLE_BYTES_MAX = 1_048_576;

export type Compiled =
  | {
      readonly kind: 'snapshot';
      readonly snapshot: PolicySnapshot;
      /** Frozen copies, ordered by kind and id. */
      readonly documents: readonly PolicyDocument[];
      readonly digest: string;
    }
  | { readonly kind: 'invalid'; readonly faults: readonly PolicyFault[] };

const utf8 = new TextEncoder();

export function compile(documents: readonly unknown[]): Compiled {
  if (documents.length > DOCUMENTS_MAX) {
    return refuse(`a bundle may contain ${DOCUMENTS_MAX} documents; this one has ${documents.length}`);
  }
  const faults: PolicyFault[] = [];
  const copies = copyDocuments(documents, faults);
  if (copies === null) return refuse(TOO_LARGE);
  const placed = copies.filter(({ documentIndex, document }) =>
    checkDocument(document, documentIndex, faults),
  );
  // INVARIANT: a document is one of ours from here on, since its shape was checked without an error.
  const sound = placed as unknown as readonly PlacedDocument[];
  const known = knownIds(copies);
  faults.push(...checkBundle(sound, known), ...checkLimits(sound, known), ...checkTestIntents(sound));
  // Compiles every profile's condition, even if the profile has other errors: all errors are reported together.
  const conditions = compileConditions(copies.filter(hasCondition) as unknown as typeof sound, known, faults);
  if (faults.length > 0) {
    return { kind: 'invalid', faults: faults.sort((a, b) => a.documentIndex - b.documentIndex) };
  }
  const ordered = Object.freeze(sound.map(({ document }) => document).sort(byKindAndId));
  const canonical = utf8.encode(canonicalJson(ordered));
  if (canonical.length > BUNDLE_BYTES_MAX) return refuse(TOO_LARGE);
  const digest = `sha256:${bytesToHex(sha256(canonical))}`;
  return {
    kind: 'snapshot',
    snapshot: buildSnapshot(ordered, conditions, digest),
    documents: ordered,
    digest,
  };
}

const TOO_LARGE = `a bundle may contain ${BUNDLE_BYTES_MAX} bytes; this one is larger`;

function refuse(message: string): Compiled {
  return { kind: 'invalid', faults: [{ documentIndex: 0, pointer: '', message }] };
}

interface CopiedDocument {
  readonly documentIndex: number;
  readonly document: JsonObject;
}

function hasCondition({ document }: CopiedDocument): boolean {
  const { kind, when } = document;
  // A condition that is too long has been reported with its shape.
  return (kind === 'Profile' || kind === 'Limit') && typeof when === 'string' && !isTooLong(when);
}

/** Null if the bundle is too large to check. */
function copyDocuments(
  documents: readonly unknown[],
  faults: PolicyFault[],
): readonly CopiedDocument[] | null {
  const budget: SizeBudget = { left: BUNDLE_BYTES_MAX };
  const copies: CopiedDocument[] = [];
  for (const [documentIndex, document] of documents.entries()) {
    const copyFaults: { pointer: string; message: string }[] = [];
    const copy = copyJson(document, budget, copyFaults);
    if (budget.left < 0) return null;
    for (const fault of copyFaults) faults.push({ documentIndex, ...fault });
    if (copy === undefined) continue;
    if (isObject(copy)) copies.push({ documentIndex, document: copy });
    else
      faults.push({
        documentIndex,
        pointer: '',
        message: `a document must be an object, found ${jsonTypeOf(copy)}`,
      });
  }
  return copies;
}

/** Whether the document has no error of its own, apart from conditions. */
function checkDocument(document: JsonObject, documentIndex: number, faults: PolicyFault[]): boolean {
  const before = faults.length;
  const spoken = new Set<string>();
  const report: ReportFault = (pointer, message) => {
    if (!spoken.has(pointer)) faults.push({ documentIndex, pointer, message });
  };
  const shape = shapeOf(document);
  if (shape === null) {
    reportUnknownKind(document, report);
    return false;
  }
  reportPrivateMembers(document, (pointer, message) => {
    report(pointer, message);
    // The unknown kind need not be reported as an unknown member too.
    spoken.add(pointer);
  });
  checkShape(shape, document, '', report);
  return faults.length === before;
}

function reportUnknownKind(document: JsonObject, report: ReportFault): void {
  const kinds = DOCUMENT_KINDS.map(quoted).join(', ');
  if (!Object.hasOwn(document, 'kind')) report('', `a document needs \`kind\`: one of ${kinds}`);
  else if (typeof document.kind !== 'string') report('/kind', `must be one of ${kinds}`);
  else
    report('/kind', `there is no kind ${quoted(document.kind)}${didYouMean(document.kind, DOCUMENT_KINDS)}`);
}

/** The service would refuse such an intent, so no decision could be reached. */
function checkTestIntents(placed: readonly PlacedDocument[]): readonly PolicyFault[] {
  const faults: PolicyFault[] = [];
  for (const { documentIndex, document } of placed) {
    if (document.kind !== 'PolicyTest') continue;
    const parsed = intentFromValue(document.intent);
    if (parsed.kind === 'intent') continue;
    // INVARIANT: a refusal names at least one error.
    for (const { pointer, message } of parsed.details)
      faults.push({ documentIndex, pointer: `/intent${pointer}`, message });
  }
  return faults;
}

function knownIds(copies: readonly CopiedDocument[]): KnownIds & KnownToLimits {
  const idsOf = (kind: string) => {
    const ids = new Set<string>();
    for (const { document } of copies) {
      if (document.kind === kind && typeof document.id === 'string') ids.add(document.id);
    }
    return ids;
  };
  const permits = new Set<string>();
  const reviewable = new Set<string>();
  const controls = new Set<string>();
  const servesOnce = new Set<string>();
  const facts = new Set<string>();
  for (const { document } of copies) {
    if (document.kind === 'Profile' && typeof document.id === 'string' && document.permit === true)
      permits.add(document.id);
    if (document.kind !== 'ControlPack' || !isObject(document.controls)) continue;
    for (const [id, control] of Object.entries(document.controls)) {
      controls.add(id);
      if (!isObject(control)) continue;
      if (Object.hasOwn(control, 'review')) reviewable.add(id);
      if (Object.hasOwn(control, 'review') || Object.hasOwn(control, 'use')) servesOnce.add(id);
      if (control.facts === true) facts.add(id);
    }
  }
  return {
    profiles: idsOf('Profile'),
    controlPacks: idsOf('ControlPack'),
    limits: idsOf('Limit'),
    reviewable,
    permits,
    controls,
    servesOnce,
    facts,
  };
}

function compileConditions(
  placed: readonly PlacedDocument[],
  known: KnownIds,
  faults: PolicyFault[],
): ReadonlyMap<ConditionedDocument, CompiledCondition> {
  const conditions = new Map<ConditionedDocument, CompiledCondition>();
  for (const { documentIndex, document } of placed) {
    if ((document.kind !== 'Profile' && document.kind !== 'Limit') || document.when === undefined) continue;
    const result = compileCondition(document.when, known.facts);
    if (result.kind === 'condition') conditions.set(document, result.condition);
    else for (const fault of result.faults) faults.push({ documentIndex, pointer: '/when', ...fault });
  }
  return conditions;
}

function byKindAndId(a: PolicyDocument, b: PolicyDocument): number {
  return compareText(a.kind, b.kind) || compareText(idOf(a), idOf(b));
}

function idOf(document: PolicyDocument): string {
  return document.kind === 'Defaults' ? '' : document.id;
}

/** Compares code units, which no locale changes. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

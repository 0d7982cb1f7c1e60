/** Decides an exported record again and compares the result with the recorded one, byte for byte. */
import {
  canonicalJson,
  decisionTexts,
  type EngineDecision,
  intentDigest,
  type JsonValue,
  parseIntent,
} from '@writecheck/contract';
import {
  compile,
  decide,
  EMPTY_SNAPSHOT,
  EMPTY_SNAPSHOT_BEFORE_REVIEWS,
  ENGINE_VERSION,
  type PolicySnapshot,
} from '@writecheck/engine';
import {
  digestOf,
  type Leaf,
  type RecordFields,
  readRecord,
  recordAround,
  recordBytes,
} from '@writecheck/ledger';
import { sha256 } from './native-sha256.ts';

export type Replayed =
  | { readonly kind: 'same' }
  | { readonly kind: 'differs'; readonly message: string }
  /** Another engine version recorded it, and this one decides differently: that says nothing about the record. */
  | { readonly kind: 'unrepeatable'; readonly engine: string };

function differs(message: string): Replayed {
  return { kind: 'differs', message };
}

/** These versions had no reviews, so no person could approve anything; none of their bundles says `review`. */
const ENGINES_BEFORE_REVIEWS: readonly string[] = ['1', '2'];

/** The bundles of an export so far, compiled when a record first needs them. */
export class ReplayBundles {
  readonly #documents = new Map<string, readonly unknown[]>();
  readonly #snapshots = new Map<string, PolicySnapshot | null>();

  add(digest: string, documents: readonly unknown[]): void {
    this.#documents.set(digest, documents);
  }

  /** Compiles as the engine of that version did. Null if the bundle is missing or does not compile to its digest. */
  snapshotOf(digest: string | null, engine: string): PolicySnapshot | null {
    if (digest === null)
      return ENGINES_BEFORE_REVIEWS.includes(engine) ? EMPTY_SNAPSHOT_BEFORE_REVIEWS : EMPTY_SNAPSHOT;
    let snapshot = this.#snapshots.get(digest);
    if (snapshot === undefined) {
      const compiled = compile(this.#documents.get(digest) ?? []);
      snapshot = compiled.kind === 'snapshot' && compiled.digest === digest ? compiled.snapshot : null;
      this.#snapshots.set(digest, snapshot);
    }
    return snapshot;
  }

  /** Whether the documents are those that the digest names, even if they no longer compile. */
  isIntact(digest: string | null): boolean {
    const documents = digest === null ? undefined : this.#documents.get(digest);
    return documents !== undefined && digestOf(bundleBytes(documents), sha256) === digest;
  }
}

/** `leaf` is the record's own, which must agree with the record. */
export function replayRecord(record: Uint8Array, leaf: Leaf, bundles: ReplayBundles): Replayed {
  let fields: RecordFields;
  try {
    fields = readRecord(record);
  } catch {
    return differs('the record cannot be read');
  }
  const snapshot = bundles.snapshotOf(fields.policyRef, fields.engine);
  if (snapshot === null) {
    // A newer rule may refuse what an earlier version accepted.
    return fields.engine !== ENGINE_VERSION && bundles.isIntact(fields.policyRef)
      ? unrepeatable(leaf, fields)
      : differs(`bundle \`${fields.policyRef}\` is missing or does not compile`);
  }
  const intentBytes = Buffer.from(fields.intentText);
  const parsed = parseIntent(intentBytes);
  if (parsed.kind === 'refused') return differs(`the intent is now refused: ${parsed.message}`);
  const { intent, warnings } = parsed;
  const decision = decide(intent, fields.facts, snapshot, Date.parse(fields.timestamp), {
    freezes: fields.freezes ?? [],
    readings: fields.readings ?? [],
    firstKeyId: fields.firstKeyId ?? fields.keyId,
  });
  const again = { ...fields, warnings, decision, intentDigest: intentDigest(intent) };
  const bytes = Buffer.from(recordBytes(recordAround(again, decisionTexts(decision), intentBytes)));
  if (bytes.equals(record)) {
    const member = leafMemberThatDiffers(leaf, fields, decision);
    return member === null
      ? { kind: 'same' }
      : differs(`the leaf and the record have different values of \`${member}\``);
  }
  if (fields.engine !== ENGINE_VERSION) return unrepeatable(leaf, fields);
  const at = firstDifference(bytes, record);
  const excerpt = (of: Uint8Array): string => Buffer.from(of).toString('utf8', Math.max(0, at - 20), at + 40);
  return differs(
    `byte ${at} differs: recorded \`${excerpt(record)}\`, decided again \`${excerpt(bytes)}\` (engine ${ENGINE_VERSION})`,
  );
}

function unrepeatable(leaf: Leaf, fields: RecordFields): Replayed {
  const member = leafMemberThatDiffers(leaf, fields, fields.decision);
  return member === null
    ? { kind: 'unrepeatable', engine: fields.engine }
    : differs(`the leaf and the record have different values of \`${member}\``);
}

/** The documents of an export are ordered as their digest requires. */
function bundleBytes(documents: readonly unknown[]): Uint8Array {
  return Buffer.from(canonicalJson(documents as readonly JsonValue[]));
}

function leafMemberThatDiffers(leaf: Leaf, fields: RecordFields, decided: EngineDecision): string | null {
  const { decision, validUntil } = decided;
  const until = decision === 'allow' && validUntil !== undefined ? new Date(validUntil).toISOString() : null;
  const expected: Partial<Leaf> = {
    decision_id: fields.decisionId,
    audit_id: fields.auditId,
    workspace: fields.workspace,
    keyId: fields.keyId,
    keyKind: fields.keyKind,
    timestamp: fields.timestamp,
    decision,
    evaluatedDecision: decided.evaluatedDecision,
    reason_code: decided.reasonCode,
    intentDigest: fields.intentDigest,
    policyRef: fields.policyRef,
    validUntil: until,
  };
  const members = Object.keys(expected) as (keyof Leaf)[];
  return members.find((member) => leaf[member] !== expected[member]) ?? null;
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

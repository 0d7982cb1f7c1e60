/**
 * A group of commit requests as one flat list, and back: structured cloning copies a list of plain values several
 * times faster than the same values in objects, and this crosses a thread with every check.
 */
import type { CommitEntry, CommitRequest, Inclusion, LeafFields } from '../port.ts';
import type { PlainEntryOutcome, PlainRequestOutcome } from './commit.ts';

/** What few entries have travels as it is. */
type Rare = Pick<CommitEntry, 'consumes' | 'restsOn' | 'answers'>;
const NOTHING: readonly never[] = [];

const rareOf = ({ consumes, restsOn, answers }: CommitEntry): Rare | null => {
  if (consumes.length === 0 && restsOn.length === 0 && answers === undefined) return null;
  return { consumes, restsOn, ...(answers === undefined ? {} : { answers }) };
};

/** Every field in the order in which `unpackRequests` takes it. */
export const packRequests = (requests: readonly CommitRequest[]): readonly unknown[] => {
  const flat: unknown[] = [];
  for (const { workspace, keyKind, limit, entries, idempotency, proven } of requests) {
    flat.push(workspace, keyKind, limit, idempotency, proven === true ? true : null, entries.length);
    for (const entry of entries) {
      const { leaf } = entry;
      flat.push(entry.atMs, entry.record, rareOf(entry), leaf.decision_id, leaf.audit_id, leaf.keyId);
      flat.push(leaf.timestamp, leaf.decision, leaf.evaluatedDecision, leaf.reason_code);
      flat.push(leaf.intentDigest, leaf.policyRef, leaf.validUntil);
    }
  }
  return flat;
};

export const unpackRequests = (flat: readonly unknown[]): readonly CommitRequest[] => {
  let at = 0;
  const take = <T>(): T => flat[at++] as T;
  const requests: CommitRequest[] = [];
  while (at < flat.length) {
    const workspace = take<string>();
    const keyKind = take<CommitRequest['keyKind']>();
    const limit = take<number | null>();
    const idempotency = take<CommitRequest['idempotency']>();
    const proven = take<true | null>();
    const entries: CommitEntry[] = [];
    for (let left = take<number>(); left > 0; left -= 1) {
      const atMs = take<number>();
      const record = take<string>();
      const rare = take<Rare | null>();
      const leaf: LeafFields = {
        decision_id: take(),
        audit_id: take(),
        keyId: take(),
        timestamp: take(),
        decision: take(),
        evaluatedDecision: take(),
        reason_code: take(),
        intentDigest: take(),
        policyRef: take(),
        validUntil: take(),
      };
      if (rare === null) entries.push({ atMs, record, leaf, consumes: NOTHING, restsOn: NOTHING });
      else entries.push({ atMs, record, leaf, ...rare });
    }
    requests.push({
      workspace,
      keyKind,
      limit,
      entries,
      idempotency,
      ...(proven === null ? {} : { proven }),
    });
  }
  return requests;
};

/** A request of one committed entry, which nearly all are, becomes two numbers; any other travels as it is. */
export const packOutcomes = (outcomes: readonly PlainRequestOutcome[]): readonly unknown[] => {
  const flat: unknown[] = [];
  for (const outcome of outcomes) {
    const only = outcome.kind === 'done' && outcome.entries.length === 1 ? outcome.entries[0]! : null;
    if (only?.kind === 'committed') {
      const { leafIndex, used, inclusion } = only;
      if (inclusion === undefined) flat.push(leafIndex, used);
      // INVARIANT: true is no number and no outcome, so it tells that a proof follows.
      else
        flat.push(true, leafIndex, used, inclusion.treeSize, inclusion.root, inclusion.leaf, inclusion.proof);
    } else flat.push(outcome);
  }
  return flat;
};

const INCLUSION_FIELDS = 4;

const inclusionAt = (flat: readonly unknown[], at: number): Inclusion => {
  const [treeSize, root, leaf, proof] = flat.slice(at, at + INCLUSION_FIELDS) as [
    number,
    Uint8Array,
    string,
    string,
  ];
  return { treeSize, root, leaf, proof };
};

/** `requests` are those that were packed: the decision an index belongs to is known on this side already. */
export const unpackOutcomes = (
  flat: readonly unknown[],
  requests: readonly CommitRequest[],
  log: string,
): readonly PlainRequestOutcome[] => {
  let at = 0;
  const outcomes: PlainRequestOutcome[] = [];
  for (const { entries } of requests) {
    const isProven = flat[at] === true;
    if (isProven) at += 1;
    const next = flat[at++];
    if (typeof next !== 'number') {
      outcomes.push(next as PlainRequestOutcome);
      continue;
    }
    const decisionId = entries[0]!.leaf.decision_id;
    const entry: PlainEntryOutcome = {
      kind: 'committed',
      decisionId,
      log,
      leafIndex: next,
      used: flat[at++] as number,
      ...(isProven ? { inclusion: inclusionAt(flat, at) } : {}),
    };
    if (isProven) at += INCLUSION_FIELDS;
    outcomes.push({ kind: 'done', entries: [entry] });
  }
  // INVARIANT: every outcome has found its request; one too many or too few and none can be believed.
  if (at !== flat.length) throw new RangeError('the outcomes of a commit do not fit its requests');
  return outcomes;
};

/** How a check with an `Idempotency-Key` reaches the writer thread: one text, because objects take several times as long. */
import type { CommitEntry, CommitRequest, IdempotencyBinding } from '../port.ts';

/** What a check brings for its key. */
export type Claim = Pick<CommitRequest, 'idempotency'> & {
  readonly entry: Pick<CommitEntry, 'consumes' | 'restsOn' | 'answers' | 'redeems'>;
};

/** Null if there is more to it, as in a batch, or a text that is not in one line. */
export function claimText({ idempotency, entries }: CommitRequest): string | null {
  const [entry, second] = entries;
  if (idempotency === null || entry?.answers === undefined || second !== undefined) return null;
  const { key, requestDigest, expiresAtMs, replayableWhile, frame, endOverQuota } = idempotency;
  const { consumes, restsOn, redeems, answers } = entry;
  if (consumes.length + restsOn.length > 0 || frame.join('') !== '' || endOverQuota !== undefined)
    return null;
  // INVARIANT: JSON, digests and keys have no line breaks.
  if (answers.committed.includes('\n') || answers.overQuota.includes('\n')) return null;
  const redeemed = redeems === undefined ? '' : `${redeems.decisionId} ${redeems.intentDigest}`;
  const head = `${key}\n${requestDigest}\n${expiresAtMs}\n${JSON.stringify(replayableWhile)}\n${redeemed}`;
  return `${head}\n${answers.overQuota}\n${answers.committed}`;
}

const NOTHING: CommitEntry['consumes'] = [];

export function claimOfText(text: string): Claim {
  const lines = text.split('\n');
  const [key = '', requestDigest = '', expiresAtMs, replayable = '', redeemed = ''] = lines;
  const [overQuota = '', committed = ''] = lines.slice(5);
  const replayableWhile = JSON.parse(replayable) as IdempotencyBinding['replayableWhile'];
  const [decisionId = '', intentDigest = ''] = redeemed.split(' ');
  return {
    idempotency: {
      key,
      requestDigest,
      expiresAtMs: Number(expiresAtMs),
      replayableWhile,
      frame: ['', ''],
    },
    entry: {
      consumes: NOTHING,
      restsOn: NOTHING,
      answers: { committed, overQuota },
      ...(redeemed !== '' && { redeems: { decisionId, intentDigest } }),
    },
  };
}

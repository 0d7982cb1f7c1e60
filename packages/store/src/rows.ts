/** Rows that both databases store in the same way, and the port values they represent. */
import type { Change } from './port/changes.ts';
import type { ReplayableWhile, StoredAnswer } from './port/commit.ts';

export interface AnswerRow {
  readonly request_digest: string;
  readonly expires_ms: number;
  readonly replayable_while: string;
  readonly response: Buffer;
}

export function storedAnswer(row: AnswerRow): StoredAnswer {
  return {
    requestDigest: row.request_digest,
    expiresAtMs: row.expires_ms,
    replayableWhile: JSON.parse(row.replayable_while) as ReplayableWhile,
    response: row.response,
  };
}

export type NotedKind = Exclude<Change['kind'], 'everything'>;

/** A watcher that is further behind than this drops everything it cached. */
export const CHANGES_KEPT = 1_000;

export interface ChangeRow {
  readonly number: number;
  readonly kind: NotedKind;
  readonly workspace: string;
  readonly subject: string;
}

export function changeOf({ kind, workspace, subject }: ChangeRow): Change {
  switch (kind) {
    case 'key':
      return { kind, workspace, keyId: subject };
    case 'policy':
    case 'workspace':
      return { kind, workspace };
    case 'person':
      return { kind, workspace, personId: subject };
    default:
      // A newer version running beside this one wrote it: this version cannot know what it changes.
      return { kind: 'everything' };
  }
}

import { encodeBase64Url } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { sha256 } from './sha256.ts';
import {
  batchChallenge,
  type VerdictStatement,
  verdictChallenge,
  verdictStatementText,
} from './verdict-statement.ts';

const STATEMENT: VerdictStatement = {
  workspace: 'ws_01a1e0ab268c794fa231252f1b0015e7',
  review: 'rev_01a1e0ab268c794fa231252f1b0015e8',
  intentDigest: `sha256:${'ab'.repeat(32)}`,
  controls: ['approval', 'dual_control'],
  verdict: 'approve',
  by: 'per_01a1e0ab268c794fa231252f1b0015e9',
  comment: 'Ärger: "ok"\n\u2028',
};

const CANONICAL =
  '{"by":"per_01a1e0ab268c794fa231252f1b0015e9","comment":"Ärger: \\"ok\\"\\n\u2028","controls":["approval",' +
  `"dual_control"],"intentDigest":"sha256:${'ab'.repeat(32)}","review":"rev_01a1e0ab268c794fa231252f1b0015e8",` +
  '"verdict":"approve","version":"writecheck.verdict.v1","workspace":"ws_01a1e0ab268c794fa231252f1b0015e7"}';

describe('the statement of a verdict', () => {
  it('has one published spelling and one challenge', () => {
    expect(verdictStatementText(STATEMENT)).toBe(CANONICAL);
    expect(encodeBase64Url(verdictChallenge(STATEMENT))).toBe('m9fLtKuAb53YA6KpYxQikuOXo86Ps8ugAduGnEdCt4k');
  });

  it('changes its challenge with every member', () => {
    const others: VerdictStatement[] = [
      { ...STATEMENT, workspace: 'ws_02' },
      { ...STATEMENT, review: 'rev_02' },
      { ...STATEMENT, intentDigest: `sha256:${'cd'.repeat(32)}` },
      { ...STATEMENT, controls: ['dual_control', 'approval'] },
      { ...STATEMENT, controls: ['approval'] },
      { ...STATEMENT, verdict: 'reject' },
      { ...STATEMENT, by: 'per_02' },
      { ...STATEMENT, comment: null },
      { ...STATEMENT, comment: 'null' },
    ];
    const challenges = [STATEMENT, ...others].map((each) => encodeBase64Url(verdictChallenge(each)));
    expect(new Set(challenges).size).toBe(others.length + 1);
  });

  it('ignores members that a caller adds', () => {
    expect(verdictStatementText({ ...STATEMENT, ...{ extra: 1, version: 'v2' } })).toBe(CANONICAL);
  });
});

describe('several verdicts under one prompt', () => {
  it('are the hash of their hashes in order', () => {
    const one = sha256(Uint8Array.of(1));
    const two = sha256(Uint8Array.of(2));
    expect(batchChallenge([one, two])).toEqual(sha256(Uint8Array.of(...one, ...two)));
    expect(batchChallenge([two, one])).not.toEqual(batchChallenge([one, two]));
  });

  it('never have the challenge of one verdict alone', () => {
    const one = verdictChallenge(STATEMENT);
    expect(batchChallenge([one])).not.toEqual(one);
  });
});

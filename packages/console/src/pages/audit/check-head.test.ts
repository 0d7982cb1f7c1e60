import { describe, expect, test } from 'vitest';
import { SIGNER, STRANGER } from '../../../../ledger/test/test-signer.ts';
import { checkHead } from './check-head.ts';

const ROOT = 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';
const text = (log: string, size: number) => `writecheck/${log}\n${size}\n${ROOT}\n`;
const head = (log: string, size: number, checkpoint = SIGNER.note(text(log, size))) => ({
  log,
  size,
  checkpoint,
});

describe('the newest checkpoints', () => {
  test('verify if the key signed each of them, and sign for all their entries', async () => {
    const empty = { log: 'w3', size: 0, checkpoint: '' };
    expect(await checkHead([head('w1', 42), head('w2', 7), empty], SIGNER.line)).toEqual({
      entries: 49,
      fault: null,
    });
    // The log grew between the two requests.
    expect(await checkHead([{ ...head('w1', 43), size: 42 }], SIGNER.line)).toMatchObject({ fault: null });
  });

  test.each([
    ['another key signed it', [head('w1', 42, STRANGER.note(text('w1', 42)))], /none of the keys/],
    [
      'its text was changed',
      [head('w1', 42, SIGNER.note(text('w1', 42)).replace('\n42\n', '\n43\n'))],
      /match/,
    ],
    ['it is of another log', [head('w1', 42, SIGNER.note(text('w2', 42)))], /of the log `w2`/],
    ['it signs for fewer entries', [head('w1', 42, SIGNER.note(text('w1', 41)))], /more entries/],
    ['a log with entries has none', [head('w2', 7), head('w1', 42, '')], /not a signed note/],
  ])('do not verify if %s', async (_, logs, fault) => {
    expect((await checkHead(logs, SIGNER.line)).fault).toMatch(fault);
  });

  test('do not verify against what is no key', async () => {
    expect((await checkHead([head('w1', 42)], 'no key')).fault).not.toBeNull();
    expect((await checkHead([head('w1', 42)], '')).fault).not.toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { SIGNER, STRANGER, testSigner } from '../test/test-signer.ts';
import { checkpointText, logOfOrigin, openCheckpoint, originOf, parseCheckpointText } from './checkpoint.ts';
import { signedNote } from './signed-note.ts';

const root = new Uint8Array(32).fill(7);
const ROOT = 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';

describe('checkpoint', () => {
  it('is three lines: origin, size and root', () => {
    expect(checkpointText({ log: 'w1', size: 42, root })).toBe(`writecheck/w1\n42\n${ROOT}\n`);
    expect(parseCheckpointText(`writecheck/w1\n42\n${ROOT}\n`)).toEqual({ log: 'w1', size: 42, root });
    expect(parseCheckpointText(`writecheck/w1\n0\n${ROOT}\n`)?.size).toBe(0);
  });

  it('may carry extension lines, as others may write them', () => {
    expect(parseCheckpointText(`writecheck/w1\n42\n${ROOT}\nmore\n`)).toEqual({ log: 'w1', size: 42, root });
  });

  it('is refused if its form is not exact', () => {
    for (const text of [
      '',
      `writecheck/w1\n42\n${ROOT}`,
      `writecheck/w1\n42\n${ROOT}x`,
      'writecheck/w1\n',
      `writecheck/w1\n42\n`,
      `writecheck/w1\n042\n${ROOT}\n`,
      `writecheck/w1\n+42\n${ROOT}\n`,
      `writecheck/w1\n-1\n${ROOT}\n`,
      `writecheck/w1\n4e1\n${ROOT}\n`,
      `writecheck/w1\n 42\n${ROOT}\n`,
      `writecheck/w1\n9007199254740992\n${ROOT}\n`,
      `writecheck/w1\n42\n${ROOT.slice(4)}\n`,
      `writecheck/w1\n42\n${ROOT} \n`,
      `writecheck/w1\n42\n${ROOT}\n\n`,
      `writecheck/w1\n42\n${ROOT}\n\nmore\n`,
      `\nwritecheck/w1\n42\n${ROOT}\n`,
      `writecheck/\n42\n${ROOT}\n`,
      `writecheck\n42\n${ROOT}\n`,
      `otherthing/w1\n42\n${ROOT}\n`,
      `writecheck/w1/x\n42\n${ROOT}\n`,
    ]) {
      expect(parseCheckpointText(text), text).toBeNull();
    }
  });

  it('names its log in its origin, and no other origin is a log', () => {
    expect(logOfOrigin(originOf('a-1.b_2'))).toBe('a-1.b_2');
    for (const origin of ['w1', 'writecheck/', 'writecheck/a b', 'Writecheck/w1', 'writecheck/-a']) {
      expect(logOfOrigin(origin), origin).toBeNull();
    }
  });

  it('counts only if a known key signed it', async () => {
    const text = checkpointText({ log: 'w1', size: 42, root });
    const keys = [SIGNER.key];
    expect(await openCheckpoint(SIGNER.note(text), keys)).toEqual({
      kind: 'checkpoint',
      checkpoint: { log: 'w1', size: 42, root },
      signers: keys,
    });
    const changed = SIGNER.note(text).replace('\n42\n', '\n43\n');
    for (const [note, reason, message] of [
      [STRANGER.note(text), 'unknown_signer', 'the checkpoint is signed by none of the keys given'],
      [changed, 'bad_signature', 'the signature of the checkpoint does not match its text'],
      [text, 'malformed_checkpoint', 'the checkpoint is not a signed note'],
      [
        SIGNER.note('hello\n'),
        'malformed_checkpoint',
        'the signed text is not a checkpoint of a writecheck log',
      ],
    ] as const) {
      expect(await openCheckpoint(note, keys)).toEqual({ kind: 'refused', reason, message });
    }
  });

  it('signed by the old and the new key is valid for holders of either', async () => {
    const text = checkpointText({ log: 'w1', size: 42, root });
    const next = testSigner('writecheck', Buffer.alloc(32, 9));
    const note = signedNote(text, [SIGNER.signatureLine(text), next.signatureLine(text)]);
    for (const keys of [[SIGNER.key], [next.key], [SIGNER.key, next.key]]) {
      expect(await openCheckpoint(note, keys)).toMatchObject({ kind: 'checkpoint', signers: keys });
    }
  });
});

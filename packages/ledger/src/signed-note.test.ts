import { describe, expect, it } from 'vitest';
import { SIGNER, STRANGER, testSigner } from '../test/test-signer.ts';
import { verifyEd25519 } from './ed25519.ts';
import { noteBytes, parseNote, signatureLine, signedNote, verifyNote } from './signed-note.ts';
import { parseVerifierKey, parseVerifierKeys, verifierKey, verifierKeyLine } from './verifier-key.ts';

// The vectors of Go's golang.org/x/mod/sumdb/note, on which the C2SP form is based.
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const PETER_SEED = 'gQoUAtUUbI2E8kQzMPVAgOv5juF9nHT2JS/F1ccoMXM=';
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop';
const TEXT =
  'If you think cryptography is the answer to your problem,\nthen you don\u0027t know what your problem is.\n';
const PETER_SIGNATURE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const ENOCH_SIGNATURE =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

function keysOf(...lines: string[]) {
  return parseVerifierKeys(lines)!;
}
async function signersOf(note: string, ...lines: string[]) {
  const verified = await verifyNote(note, keysOf(...lines));
  return verified.kind === 'verified' ? verified.signers.map(({ name }) => name) : verified.reason;
}

describe('signed note', () => {
  it('of the published vector verifies, with one key or with both', async () => {
    const note = `${TEXT}\n${PETER_SIGNATURE}${ENOCH_SIGNATURE}`;
    expect(await verifyNote(note, keysOf(PETER))).toMatchObject({ kind: 'verified', text: TEXT });
    expect(await signersOf(note, PETER)).toEqual(['PeterNeumann']);
    expect(await signersOf(note, ENOCH)).toEqual(['EnochRoot']);
    expect(await signersOf(note, PETER, ENOCH)).toEqual(['PeterNeumann', 'EnochRoot']);
  });

  it('is signed with the published key to the published bytes', () => {
    const peter = testSigner('PeterNeumann', Buffer.from(PETER_SEED, 'base64'));
    expect(peter.line).toBe(PETER);
    expect(peter.note(TEXT)).toBe(`${TEXT}\n${PETER_SIGNATURE}`);
  });

  it('is refused if no known key signed it', async () => {
    expect(await signersOf(`${TEXT}\n${ENOCH_SIGNATURE}`, PETER)).toBe('unknown_signer');
    expect(await signersOf(SIGNER.note(TEXT), STRANGER.line)).toBe('unknown_signer');
    expect(await verifyNote(SIGNER.note(TEXT), [])).toEqual({ kind: 'refused', reason: 'unknown_signer' });
  });

  it('is invalidated by a bad signature of a known key, even beside a good one', async () => {
    const bad = `${PETER_SIGNATURE.slice(0, 60)}ABCD${PETER_SIGNATURE.slice(60)}`;
    expect(await signersOf(`${TEXT}\n${bad}`, PETER)).toBe('bad_signature');
    expect(await signersOf(`${TEXT}\n${PETER_SIGNATURE}${bad}`, PETER)).toBe('bad_signature');
    expect(await signersOf(`${TEXT}\n${bad}${ENOCH_SIGNATURE}`, PETER, ENOCH)).toBe('bad_signature');
    expect(await signersOf(`${TEXT}\n${bad}${ENOCH_SIGNATURE}`, ENOCH)).toEqual(['EnochRoot']);
    expect(await signersOf(`x${TEXT}\n${PETER_SIGNATURE}`, PETER)).toBe('bad_signature');
  });

  it('names a signer once, however often it signed', async () => {
    expect(await signersOf(`${TEXT}\n${PETER_SIGNATURE.repeat(3)}`, PETER)).toEqual(['PeterNeumann']);
    expect(await signersOf(`${TEXT}\n${PETER_SIGNATURE}`, PETER, PETER)).toEqual(['PeterNeumann']);
  });

  it('does not accept another key with the name and id of the known one', async () => {
    const peter = keysOf(PETER)[0]!;
    const impostor = { ...STRANGER.key, name: peter.name, id: peter.id };
    const note = `${TEXT}\n${PETER_SIGNATURE}`;
    expect(await verifyNote(note, [impostor])).toEqual({ kind: 'refused', reason: 'bad_signature' });
    expect(await verifyNote(note, [impostor, peter])).toMatchObject({ kind: 'verified', signers: [peter] });
  });

  it('may have empty lines in its text and ends at the last of them', async () => {
    const text = 'one\n\n\ntwo\n';
    expect(parseNote(SIGNER.note(text))?.text).toBe(text);
    expect(await signersOf(SIGNER.note(text), SIGNER.line)).toEqual(['writecheck']);
  });

  it('is refused if its form is not exact', () => {
    const good = `${TEXT}\n${PETER_SIGNATURE}`;
    expect(parseNote(good)).not.toBeNull();
    const signature = PETER_SIGNATURE.slice('— PeterNeumann '.length, -1);
    const bad = [
      '',
      '\n',
      TEXT,
      `${TEXT}\n`,
      good.slice(0, -1),
      `${good.slice(0, -1)}x`,
      PETER_SIGNATURE,
      `\x01${good}`,
      `\ud800${good}`,
      good.replace('\n', '\r\n'),
      `${good}Unexpected line.\n`,
      `${good}\n`,
      `${TEXT}\n— Bad Name ${signature}\n`,
      `${TEXT}\n— Bad+Name ${signature}\n`,
      `${TEXT}\n— Bad\u00a0Name ${signature}\n`,
      `${TEXT}\n—  ${signature}\n`,
      `${TEXT}\n- PeterNeumann ${signature}\n`,
      `${TEXT}\n—PeterNeumann ${signature}\n`,
      `${TEXT}\n— PeterNeumann\n`,
      `${TEXT}\n— PeterNeumann ${signature} \n`,
      `${TEXT}\n— PeterNeumann ${signature.slice(0, -1)}\n`,
      `${TEXT}\n— PeterNeumann ${signature.slice(0, -2)}N=\n`,
      `${TEXT}\n— PeterNeumann x08gow==\n`,
      `${TEXT}\n${PETER_SIGNATURE.repeat(101)}`,
      `${'x'.repeat(70_000)}\n\n${PETER_SIGNATURE}`,
    ];
    for (const note of bad) expect(parseNote(note), note.slice(-150)).toBeNull();
    expect(parseNote(`${TEXT}\n${PETER_SIGNATURE.repeat(100)}`)?.signatures).toHaveLength(100);
  });

  it('can be signed by WebCrypto as well', async () => {
    const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
    const { privateKey, publicKey } = pair as CryptoKeyPair;
    const raw = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
    const key = verifierKey('browser', raw);
    const signature = await crypto.subtle.sign('Ed25519', privateKey, noteBytes(TEXT).slice());
    const note = signedNote(TEXT, [signatureLine(key, new Uint8Array(signature))]);
    expect(await signersOf(note, verifierKeyLine(key))).toEqual(['browser']);
  });

  it('never throws for a key or signature of the wrong length', async () => {
    expect(await verifyEd25519(new Uint8Array(31), noteBytes(TEXT), new Uint8Array(64))).toBe(false);
    expect(await verifyEd25519(SIGNER.key.publicKey, noteBytes(TEXT), new Uint8Array(63))).toBe(false);
  });
});

describe('verifier key', () => {
  it('is read back from its line', () => {
    for (const line of [PETER, ENOCH, SIGNER.line])
      expect(verifierKeyLine(parseVerifierKey(line)!)).toBe(line);
  });

  it('is refused if it is cut or one character is changed', () => {
    for (let from = 0; from <= PETER.length; from += 1) {
      for (let to = from + 1; to <= PETER.length; to += 1) {
        if (to - from === PETER.length) continue;
        expect(parseVerifierKey(PETER.slice(from, to)), PETER.slice(from, to)).toBeNull();
      }
    }
    for (let at = 0; at < PETER.length; at += 1) {
      const changed =
        PETER.slice(0, at) + String.fromCharCode(PETER.charCodeAt(at) + 1) + PETER.slice(at + 1);
      expect(parseVerifierKey(changed), changed).toBeNull();
    }
  });

  it('is refused with a key of the wrong length or another algorithm, even if the id matches', () => {
    const wrongLength = 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==';
    expect(parseVerifierKey(wrongLength)).toBeNull();
    expect(parseVerifierKey('PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')).toBeNull();
    expect(parseVerifierKey(PETER.replace('c74f', 'C74F'))).toBeNull();
    expect(parseVerifierKey(`${PETER}\n`)).toBeNull();
  });

  it('is never made of a name with spaces or plus, or of a key of another length', () => {
    for (const name of ['', 'a b', 'a+b', 'a\u0085b', 'a\nb', 'a\u0001b', '\ud800']) {
      expect(() => verifierKey(name, new Uint8Array(32))).toThrow(TypeError);
    }
    expect(() => verifierKey('a', new Uint8Array(31))).toThrow(TypeError);
  });

  it('a list is valid as lines or as one text, and only as a whole', () => {
    expect(parseVerifierKeys([PETER, ENOCH])).toHaveLength(2);
    expect(parseVerifierKeys(`${PETER}\n${ENOCH}\n`)).toHaveLength(2);
    expect(parseVerifierKeys([])).toBeNull();
    expect(parseVerifierKeys('')).toBeNull();
    expect(parseVerifierKeys([PETER, 'nonsense'])).toBeNull();
    expect(parseVerifierKeys([PETER, 5 as unknown as string])).toBeNull();
    expect(parseVerifierKeys(undefined as unknown as string)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { SIGNER } from '../test/test-signer.ts';
import { parseVerifierKey, parseVerifierKeys, verifierKey, verifierKeyLine } from './verifier-key.ts';

const { line, key } = SIGNER;

describe('a verifier key', () => {
  it('is read back from the line it is written as', () => {
    expect(verifierKeyLine(key)).toBe(line);
    expect(parseVerifierKey(line)).toEqual(key);
  });

  it('is refused if anything comes before, after or between its three parts', () => {
    const [name, id, encoded] = line.split('+') as [string, string, string];
    const rest = line.slice(name.length + id.length + 2);
    expect(`${name}+${id}+${rest}`).toBe(line);
    for (const wrong of [
      ...[`x+${line}`, `${line}x`, `${line}\n`, ` ${line}`, `${name}+${id}`, `+${id}+${rest}`, '', encoded],
      ...[`${name}+${id}+`, `${name}+${id.toUpperCase()}x+${rest}`, `${name}x+${id}+${rest}`],
      ...[`${name}+00000000+${rest}`, `${name}+${id.slice(1)}+${rest}`, `a b+${id}+${rest}`],
    ]) {
      expect(parseVerifierKey(wrong), wrong).toBeNull();
    }
  });

  it('has a name of one word and 32 bytes', () => {
    for (const name of ['', 'a b', 'a+b', 'a\u0085b', 'a\u0001b', '\ud800']) {
      expect(() => verifierKey(name, key.publicKey)).toThrow(
        new TypeError(`\`${name}\` cannot be the name of a key`),
      );
    }
    for (const bytes of [0, 31, 33]) {
      expect(() => verifierKey('k', new Uint8Array(bytes))).toThrow(
        new TypeError('an Ed25519 public key has 32 bytes'),
      );
    }
  });
});

it('keys are accepted as a list or as a text of lines, all of them or none', () => {
  expect(parseVerifierKeys([line])).toEqual([key]);
  expect(parseVerifierKeys(`${line}\n\n${line}\n`)).toEqual([key, key]);
  for (const wrong of [[], '', [line, 'x'], `${line}\nx`, [1], null, {}]) {
    expect(parseVerifierKeys(wrong as never)).toBeNull();
  }
});

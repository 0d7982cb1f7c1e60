import { describe, expect, test } from 'vitest';
import { pack, profile } from '../../test/documents.ts';
import { P256_JWK } from '../../test/keys.ts';
import { compile } from './compile.ts';

function faultsOf(...documents: readonly unknown[]) {
  const compiled = compile(documents);
  return compiled.kind === 'invalid' ? compiled.faults : [];
}
function packs(count: number) {
  return Array.from({ length: count }, (_, at) => pack({}, { id: `pack-${at}` }));
}

describe('a bundle as a whole is refused', () => {
  test('that lists a context member which no request could contain', () => {
    const defaults = { kind: 'Defaults', authzenContext: ['channel', 'write', 'requiredControls'] };
    expect(faultsOf(defaults).map(({ pointer }) => pointer)).toEqual([
      '/authzenContext/1',
      '/authzenContext/2',
    ]);
  });

  test('with two Defaults; the later one names the place of the first', () => {
    const defaults = { kind: 'Defaults', writePolicy: 'enforce' };
    expect(faultsOf(profile(), defaults, defaults)).toEqual([
      {
        documentIndex: 2,
        pointer: '',
        message: 'a bundle can have only one Defaults, and document 2 is another; keep one of them',
      },
    ]);
  });

  test('if a profile names a missing pack, with the likely name', () => {
    const named = profile({ controlPack: 'cor' });
    const fault = (message: string) => [expect.objectContaining({ pointer: '/controlPack', message })];
    const none = 'no ControlPack `cor` in the bundle';
    expect(faultsOf(named)).toEqual(fault(none));
    expect(faultsOf(named, pack({}, { id: 'core' }))).toEqual(fault(`${none}; did you mean \`core\``));
    expect(faultsOf(named, pack({}, { id: 'other' }))).toEqual(fault(`${none}; known are \`other\``));
    expect(faultsOf(named, ...packs(20))[0]!.message).toContain('; known are `pack-0`, ');
    expect(faultsOf(named, ...packs(21))).toEqual(fault(none));
    expect(faultsOf(profile({ controlPack: 'core' }), pack({}, { id: 'core' }))).toEqual([]);
  });

  test('if a workflow names a missing profile', () => {
    const workflow = { kind: 'Workflow', id: 'w', profiles: ['profile', 'other'] };
    expect(faultsOf(profile(), workflow)).toEqual([
      expect.objectContaining({ pointer: '/profiles/1', message: 'no Profile `other` in the bundle' }),
    ]);
  });

  test('if a source has two keys with one id', () => {
    const keys = [P256_JWK, { ...P256_JWK, kid: 'other' }, P256_JWK];
    expect(faultsOf({ kind: 'EvidenceSource', id: 'okta', keys: { keys } })).toEqual([
      expect.objectContaining({
        pointer: '/keys/keys/2/kid',
        message: `the key id \`${P256_JWK.kid}\` appears twice: an attestation must name one key`,
      }),
    ]);
  });

  test('with more than 64 controls that have facts', () => {
    const facts = { facts: true, assurance: 'attested', maxAge: '1h' };
    const records = (count: number) =>
      pack(Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, facts])));
    expect(faultsOf(records(64))).toEqual([]);
    expect(faultsOf(records(66))).toEqual([
      {
        documentIndex: 0,
        pointer: '/controls/r64/facts',
        message:
          'a bundle may contain 64 controls with `facts`, and this is one more; let one control sign several facts',
      },
    ]);
  });

  test('if it is not a list of documents, at its very beginning', () => {
    expect(faultsOf()).toEqual([]);
    const huge = profile({ id: 'p', version: 'x'.repeat(200) });
    const compiled = compile(Array.from({ length: 200_000 }, () => huge));
    expect(compiled).toMatchObject({ kind: 'invalid', faults: [{ documentIndex: 0, pointer: '' }] });
  });
});

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
  test('that lists a member of the context which no request could bring', () => {
    const defaults = { kind: 'Defaults', authzenContext: ['channel', 'write', 'requiredControls'] };
    expect(faultsOf(defaults).map(({ pointer }) => pointer)).toEqual([
      '/authzenContext/1',
      '/authzenContext/2',
    ]);
  });

  test('with two Defaults, the later one being told where the first is', () => {
    const defaults = { kind: 'Defaults', writePolicy: 'enforce' };
    expect(faultsOf(profile(), defaults, defaults)).toEqual([
      {
        documentIndex: 2,
        pointer: '',
        message: 'a bundle can have only one Defaults, and document 2 is another; keep one of them',
      },
    ]);
  });

  test('where a profile names a pack that is not there, with the name that was meant', () => {
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

  test('where a workflow names a profile that is not there', () => {
    const workflow = { kind: 'Workflow', id: 'w', profiles: ['profile', 'other'] };
    expect(faultsOf(profile(), workflow)).toEqual([
      expect.objectContaining({ pointer: '/profiles/1', message: 'no Profile `other` in the bundle' }),
    ]);
  });

  test('where a source has two keys of one id', () => {
    const keys = [P256_JWK, { ...P256_JWK, kid: 'other' }, P256_JWK];
    expect(faultsOf({ kind: 'EvidenceSource', id: 'okta', keys: { keys } })).toEqual([
      expect.objectContaining({
        pointer: '/keys/keys/2/kid',
        message: `the key id \`${P256_JWK.kid}\` appears twice: an attestation must name one key`,
      }),
    ]);
  });

  test('where it is no list of documents, at its very beginning', () => {
    expect(faultsOf()).toEqual([]);
    const huge = profile({ id: 'p', version: 'x'.repeat(200) });
    const compiled = compile(Array.from({ length: 200_000 }, () => huge));
    expect(compiled).toMatchObject({ kind: 'invalid', faults: [{ documentIndex: 0, pointer: '' }] });
  });
});

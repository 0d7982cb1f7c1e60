import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { editedProfile, requiredIn } from './edit-profile.ts';

const PROMOTED = { source: 'observe', status: 'promoted' };
const STAMP = '{ source: "observe", status: "promoted" }';

function promoting(...controls: readonly string[]) {
  return new Map(controls.map((control) => [control, PROMOTED]));
}

function edited(text: string, ...controls: readonly string[]): string {
  const result = editedProfile(text, 'p', promoting(...controls))!;
  expect(parseAllDocuments(result).flatMap(({ errors }) => errors)).toEqual([]);
  return result;
}

const BLOCK = `# Bank details
kind: Profile
id: p
match: { system: erp }   # everything in the ERP
require:
  - identity   # who asks
  # A person agreed.
  - control: approval   # by the desk
    # The promotion goes here.
  - # dual control
    control: dual
writePolicy: observe # for now
observeUntil: 2999-01-01T00:00:00Z
`;

describe('a promoted profile', () => {
  test('keeps every comment and the layout', () => {
    expect(edited(BLOCK, 'identity', 'approval', 'dual')).toBe(`# Bank details
kind: Profile
id: p
match: { system: erp }   # everything in the ERP
require:
  - { control: "identity", promotedFrom: ${STAMP} }   # who asks
  # A person agreed.
  - control: approval   # by the desk
    promotedFrom: ${STAMP}
    # The promotion goes here.
  - # dual control
    control: dual
    promotedFrom: ${STAMP}
writePolicy: enforce # for now
`);
  });

  test('in flow form too, on one line or many', () => {
    const flow =
      '{ kind: Profile, id: p, observeUntil: 2999-01-01T00:00:00Z, writePolicy: observe, require: [a] }\n';
    expect(edited(flow, 'a')).toBe(
      `{ kind: Profile, id: p, writePolicy: enforce, require: [{ control: "a", promotedFrom: ${STAMP} }] }\n`,
    );
    const lines = 'kind: Profile\nid: p\nrequire: [\n  { control: a # why\n  }, # it\n  b\n]\n';
    expect(edited(lines, 'a', 'b')).toBe(
      `kind: Profile\nid: p\nrequire: [\n  { control: a, promotedFrom: ${STAMP} # why\n  }, # it\n  { control: "b", promotedFrom: ${STAMP} }\n]\n`,
    );
  });

  test('replaces the provenance of an earlier promotion', () => {
    const head = 'kind: Profile\nid: p\nrequire:\n';
    expect(edited(`${head}  - { control: a, promotedFrom: { status: forced } } # kept\n`, 'a')).toBe(
      `${head}  - { control: a, promotedFrom: ${STAMP} } # kept\n`,
    );
    const block = `${head}  - control: a # kept\n    promotedFrom:\n      status: forced\n  - b\n`;
    expect(edited(block, 'a')).toBe(
      `${head}  - control: a # kept\n    promotedFrom:\n      ${STAMP}\n  - b\n`,
    );
  });

  test('changes nothing that was not assessed', () => {
    const drifted = BLOCK.replace('writePolicy: observe', 'writePolicy: block_on_mismatch');
    const result = edited(drifted, 'approval');
    expect(result).toContain('writePolicy: block_on_mismatch # for now');
    expect(result).toContain('  - identity   # who asks\n');
    expect(result.match(/promotedFrom/g)).toHaveLength(1);
    expect(requiredIn(drifted, 'p')).toEqual(['identity', 'approval', 'dual']);
    const alias =
      'kind: Profile\nid: p\nmetadata: &a identity\nrequire:\n  - *a\n  - b\nwritePolicy: observe\n';
    expect(edited(alias, 'identity')).toBe(alias.replace('observe', 'enforce'));
  });

  test('keeps line ends, a byte order mark, and a last line without an end', () => {
    const windows = '\ufeff# first\r\nkind: Profile\r\nid: p\r\nrequire:\r\n  - control: a # why\r\n  - b';
    expect(edited(windows, 'a', 'b')).toBe(
      `\ufeff# first\r\nkind: Profile\r\nid: p\r\nrequire:\r\n  - control: a # why\r\n    promotedFrom: ${STAMP}\r\n  - { control: "b", promotedFrom: ${STAMP} }`,
    );
    const cut = 'kind: Profile\nid: p\nrequire:\n  - control: a';
    expect(edited(cut, 'a')).toBe(`${cut}\n    promotedFrom: ${STAMP}`);
  });

  test('is found among other documents, or not at all', () => {
    const other = 'kind: Profile\nid: q\nwritePolicy: observe\n---\n';
    expect(editedProfile(other + BLOCK, 'p', promoting('dual'))).toBe(
      other + editedProfile(BLOCK, 'p', promoting('dual')),
    );
    expect(editedProfile(BLOCK, 'nobody', promoting())).toBeNull();
    expect(requiredIn(BLOCK, 'nobody')).toEqual([]);
  });
});

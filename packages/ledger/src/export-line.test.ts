import { describe, expect, it } from 'vitest';
import { type ExportLine, exportLine, parseExportLine } from './export-line.ts';

const HASH = Buffer.alloc(32, 7).toString('base64');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const LINES: readonly ExportLine[] = [
  {
    kind: 'header',
    version: 'writecheck.export.v1',
    workspace: 'ws',
    logs: [{ log: 'w1', checkpoint: 'note' }],
  },
  {
    ...{ kind: 'header', version: 'writecheck.export.v1', workspace: 'ws' },
    logs: [
      { log: 'w1', checkpoint: 'note' },
      { log: 'w2', checkpoint: 'note', continues: 'older' },
    ],
  },
  { kind: 'entry', log: 'w1', index: 0, leaf: 'AAAA' },
  { kind: 'entry', log: 'w1', index: 7, leaf: 'AAAA', record: 'AAAA' },
  { kind: 'hash', log: 'w1', index: 0, hash: HASH },
  { kind: 'bundle', digest: DIGEST, documents: [] },
  { kind: 'checkpoint', log: 'w1', checkpoint: 'note' },
  { kind: 'trailer', lines: 0 },
];
/** Values that no member of a line may have, except lists and objects of the right kind. */
const WRONG = [null, true, -1, 1.5, 2 ** 53, '', '\ud800', {}, [1], [null], 'not/a log', [{ log: 'w1' }]];

describe('a line of an export', () => {
  it.each(LINES)('%o is read back as it was written', (line) => {
    expect(parseExportLine(exportLine(line))).toEqual(line);
  });

  it.each(LINES)('%o is refused with an additional member, or in another spelling', (line) => {
    expect(parseExportLine(JSON.stringify({ ...line, more: 1 }))).toBeNull();
    expect(parseExportLine(` ${exportLine(line)}`)).toBeNull();
    expect(parseExportLine(exportLine(line).replace('{', '{"kind":"trailer",'))).toBeNull();
  });

  it.each(LINES)('%o is refused without any one of its required members', (line) => {
    for (const member of Object.keys(line)) {
      if (member === 'record') continue;
      const { [member as 'kind']: _, ...rest } = line;
      expect(parseExportLine(JSON.stringify(rest)), member).toBeNull();
    }
  });

  it.each(LINES)('%o is refused with another kind of value in any of its members', (line) => {
    for (const member of Object.keys(line)) {
      for (const wrong of WRONG) {
        // A text of any form may be base64 until it is decoded, and a bundle may hold anything.
        if ((member === 'leaf' || member === 'record') && typeof wrong === 'string') continue;
        if (member === 'documents' && Array.isArray(wrong)) continue;
        const isText = member === 'workspace' || member === 'checkpoint';
        if (isText && wrong === 'not/a log') continue;
        const text = JSON.stringify({ ...line, [member]: wrong });
        expect(parseExportLine(text), text).toBeNull();
      }
    }
  });

  it.each([
    ['a log without a name', { checkpoint: 'note' }],
    ['a log without a checkpoint', { log: 'w1' }],
    ['a log with a member more', { log: 'w1', checkpoint: 'note', more: 1 }],
    ['a log that continues nothing', { log: 'w1', checkpoint: 'note', continues: '' }],
    ['a log with an empty checkpoint', { log: 'w1', checkpoint: '' }],
    ['a log with a name that is none', { log: 'a b', checkpoint: 'note' }],
    ['no object', 'w1'],
    ['a list', ['w1']],
  ])('a header with %s is refused', (_, log) => {
    const header = { kind: 'header', version: 'writecheck.export.v1', workspace: 'ws' };
    expect(parseExportLine(JSON.stringify({ ...header, logs: [log] }))).toBeNull();
    expect(
      parseExportLine(JSON.stringify({ ...header, logs: [{ log: 'w0', checkpoint: 'note' }, log] })),
    ).toBeNull();
  });

  it('of another version, of another kind, or that is not an object is refused', () => {
    const header = { kind: 'header', version: 'writecheck.export.v2', workspace: 'ws', logs: [] };
    for (const text of [JSON.stringify(header), '{"kind":"other"}', '{}', 'null', '[]', '1', '', '{']) {
      expect(parseExportLine(text), text).toBeNull();
    }
  });

  it('with a hash of another length is refused', () => {
    for (const bytes of [0, 31, 33]) {
      const hash = Buffer.alloc(bytes).toString('base64');
      expect(parseExportLine(JSON.stringify({ kind: 'hash', log: 'w1', index: 0, hash }))).toBeNull();
    }
  });
});

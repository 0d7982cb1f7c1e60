import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ExportLine,
  encodeBase64,
  exportLine,
  type NotedEntry,
  notedEntryBytes,
  personEntryBytes,
} from '@writecheck/ledger';
import { afterEach, expect, test, vi } from 'vitest';
import { NOTED_SAMPLES } from '../../ledger/test/noted-samples.ts';
import { changesCommand } from './changes.ts';

afterEach(() => vi.restoreAllMocks());

const PERSON = personEntryBytes({
  ...{ kind: 'person', event: 'changed', log: 'w1', person: 'per_2', workspace: 'ws_1' },
  ...{ timestamp: '2026-11-17T05:00:00.000Z', by: { kind: 'owner_key', id: 'key_1' } },
  details: { roles: ['owner'], groups: [] },
});

/** `record`: the texts of the last entry. */
function fileOf(entries: readonly NotedEntry[], isCut = false, record?: string): string {
  const leaves = [PERSON, ...entries.map((entry) => notedEntryBytes(entry, 'w1'))];
  const lines: ExportLine[] = [
    {
      kind: 'header',
      version: 'writecheck.export.v1',
      workspace: 'ws_1',
      logs: [{ log: 'w1', checkpoint: 'x' }],
    },
    ...leaves.map((leaf, index) => ({ kind: 'entry', log: 'w1', index, leaf: encodeBase64(leaf) }) as const),
  ];
  if (record !== undefined) Object.assign(lines.at(-1)!, { record: encodeBase64(Buffer.from(record)) });
  if (!isCut) lines.push({ kind: 'trailer', lines: lines.length });
  const file = join(mkdtempSync(join(tmpdir(), 'writecheck-changes-')), 'log.ndjson');
  writeFileSync(file, `${lines.map(exportLine).join('\n')}\n`);
  return file;
}

async function printed(file: string, period = {}): Promise<readonly string[]> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  await changesCommand(file, period);
  return text.trimEnd().split('\n');
}

const UNCHANGING = ['impact', 'assessment', 'decision.outcome'];

test('every kind of change is listed by time, with its author and whether it loosened', async () => {
  const lines = await printed(fileOf(NOTED_SAMPLES));
  expect(lines).toHaveLength(NOTED_SAMPLES.length - UNCHANGING.length + 1);
  expect(lines[0]).toBe(
    `2026-11-17T04:00:00.000Z  policy.applied  by person per_1: digest sha256:${'a'.repeat(64)}, revision 2, a confirmed loosening`,
  );
  expect(lines).toContain(
    '2026-11-17T04:00:00.000Z  key.rotated  by person per_1: key key_1, keyKind live, replacement key_2',
  );
  expect(lines.at(-1)).toBe(
    '2026-11-17T05:00:00.000Z  person.changed  by owner_key key_1: person per_2, groups [], roles ["owner"]',
  );
});

test('a freeze is listed with its reason: as given, erased, or not the recorded one', async () => {
  const reason = 'wrong "IBANs"\u001b[2J';
  const reasonDigest = `sha256:${createHash('sha256').update(reason).digest('hex')}`;
  const [frozen] = NOTED_SAMPLES.filter(({ kind }) => kind === 'freeze.created');
  const entry = { ...frozen, reasonDigest } as NotedEntry;
  const listed = async (record?: string) => (await printed(fileOf([entry], false, record)))[0]!;
  const head =
    '2026-11-17T04:00:00.000Z  freeze.created  by person per_1: freeze frz_1, number 1, scope {"system":["crm","erp*"]}, until null';
  expect(await listed(JSON.stringify({ reason }))).toBe(`${head}, reason "wrong \\"IBANs\\"\\u{1b}[2J"`);
  expect(await listed()).toBe(`${head}, reason erased`);
  for (const forged of ['{"reason":"another"}', '{"reason":5}', 'null', '{', ''])
    expect(await listed(forged)).toBe(`${head}, reason not the recorded one (verify the export)`);
});

test('impact runs, assessments and outcomes change nothing and are not listed', async () => {
  const lines = (await printed(fileOf(NOTED_SAMPLES))).join();
  for (const kind of UNCHANGING) expect(lines).not.toContain(kind);
});

test('a period includes its beginning and excludes its end', async () => {
  const file = fileOf(NOTED_SAMPLES.slice(2, 3));
  expect(await printed(file, { from: '2026-11-17T04:00:00Z', to: '2026-11-17T05:00:00Z' })).toHaveLength(1);
  expect(await printed(file, { from: '2026-11-17T06:00:00Z' })).toEqual(['no changes in this export']);
  await expect(printed(file, { from: 'yesterday' })).rejects.toMatchObject({ exitCode: 2 });
});

test('text of a hostile service reaches the terminal escaped, and a truncated export is refused', async () => {
  const [entry] = NOTED_SAMPLES.filter(({ kind }) => kind === 'evidence.revoked');
  const lines = await printed(fileOf([{ ...entry, jti: 'a\u001b[2J\n' } as NotedEntry]));
  expect(lines.join('|')).toContain('jti a\\u{1b}[2J\\u{a}');
  await expect(printed(fileOf([], true))).rejects.toMatchObject({ exitCode: 2 });
});

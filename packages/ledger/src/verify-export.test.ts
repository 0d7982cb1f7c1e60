import { canonicalJson } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { NOTED_SAMPLES } from '../test/noted-samples.ts';
import {
  BUNDLE_DIGEST,
  BUNDLE_LINE,
  base64,
  DOCUMENTS,
  decisionEntry,
  exportOf,
  exportText,
  header,
  mixedEntries,
  OTHER_WORKSPACE,
  sha256,
  TestLog,
  WORKSPACE,
} from '../test/test-log.ts';
import { SIGNER, STRANGER, testSigner } from '../test/test-signer.ts';
import { continuationBytes, redemptionBytes } from './entry.ts';
import {
  type ExportEntry,
  type ExportHeader,
  type ExportLine,
  exportLine,
  parseExportLine,
} from './export-line.ts';
import { notedEntryBytes } from './noted-entry.ts';
import { RecentRedemptions } from './recent-redemptions.ts';
import { digestOf } from './sha256.ts';
import { ExportVerifier, type ExportVerifierOptions, verifyExport } from './verify-export.ts';

const LOG = new TestLog(mixedEntries(12));
const HEADER = header([{ log: LOG }]) as ExportHeader;
const ENTRIES = LOG.entryLines();

function verdictOf(lines: readonly string[], options: Partial<ExportVerifierOptions> = {}) {
  return verifyExport(lines, { keys: [SIGNER.line], ...options });
}

async function faultOf(lines: readonly ExportLine[], options: Partial<ExportVerifierOptions> = {}) {
  const verdict = await verdictOf(exportText(lines), options);
  return verdict.ok ? null : verdict.fault;
}

function redemption(changes: object = {}) {
  return {
    bytes: redemptionBytes({
      ...{ kind: 'redemption', log: 'w1', decision_id: 'dec_1', workspace: WORKSPACE, keyId: 'key_1' },
      ...{ keyKind: 'live', timestamp: '2026-11-15T04:00:00.000Z', intentDigest: `sha256:${'a'.repeat(64)}` },
      ...changes,
    }),
  };
}

describe('an export', () => {
  it('that is complete is verified, with its counts and a summary', async () => {
    const verdict = await verdictOf(exportOf(LOG), { workspace: WORKSPACE });
    expect(verdict).toEqual({
      ok: true,
      words:
        'verified: 12 entries in 1 log, each in its place and unchanged up to the signed checkpoints; ' +
        `from workspace \`${WORKSPACE}\`: 9 decisions with their records and 0 redemptions; ` +
        '3 entries are shown only by hash: of other workspaces, pruned, or filtered out',
      workspace: WORKSPACE,
      logs: [{ log: 'w1', size: 12, root: base64(LOG.root()) }],
      passkeys: [],
      losses: [],
      unread: { entries: 0, verdicts: 0, checkpoints: 0 },
      counts: {
        ...{
          decisions: 9,
          redemptions: 0,
          continuations: 0,
          reviewEntries: 0,
          personEntries: 0,
          otherEntries: 0,
        },
        kinds: { decision: 9 },
        otherKinds: [],
        ...{ hashes: 3, bundles: 1, lines: 15 },
      },
    });
  });

  it('names each kind of entry that it shows, and the kinds that this version does not know', async () => {
    const noted = NOTED_SAMPLES.map((entry) => ({ bytes: notedEntryBytes(entry, 'w1') }));
    const newer = { kind: 'freeze.made', log: 'w1', workspace: WORKSPACE };
    const other = { bytes: Buffer.from(canonicalJson(newer)) };
    const verdict = await verdictOf(exportOf(new TestLog([decisionEntry(0), ...noted, other, other])));
    expect(verdict).toMatchObject({ ok: true, counts: { otherEntries: 2, otherKinds: ['freeze.made'] } });
    for (const { kind } of NOTED_SAMPLES) {
      expect(verdict).toMatchObject({ counts: { kinds: { [kind]: 1 } } });
      expect(verdict.words).toContain(`, 1 \`${kind}\``);
    }
    expect(verdict.words).toContain(' and 2 entries of a kind this version does not know (`freeze.made`)');
  });

  it('names at most eight kinds that this version does not know, and counts them all', async () => {
    const others = Array.from({ length: 20 }, (_, i) => {
      const entry = { kind: `new_${i}`, log: 'w1', workspace: WORKSPACE };
      return { bytes: Buffer.from(canonicalJson(entry)) };
    });
    const verdict = await verdictOf(exportOf(new TestLog(others)));
    expect(verdict).toMatchObject({ ok: true, counts: { otherEntries: 20 } });
    expect(verdict.ok && verdict.counts.otherKinds).toHaveLength(8);
  });

  it('verifies with the given hash function as with our own', async () => {
    expect((await verdictOf(exportOf(LOG), { sha256 })).ok).toBe(true);
    const wrong = () => new Uint8Array(32);
    expect((await verdictOf(exportOf(LOG), { sha256: wrong })).ok).toBe(false);
  });

  it('may mix its logs, each in its own order', async () => {
    const other = new TestLog(mixedEntries(5, 'w2'), 'w2');
    const mixed = ENTRIES.flatMap((line, i) => (i < 5 ? [line, other.entryLines()[i]!] : [line]));
    const lines = [header([{ log: LOG }, { log: other }]), BUNDLE_LINE, ...mixed];
    expect(await faultOf(lines)).toBeNull();
    expect(await faultOf(lines.slice(0, 9))).toMatchObject({ code: 'incomplete', log: 'w1' });
  });

  it('says that there is nothing else only if nothing is hidden', async () => {
    const verdict = await verdictOf(exportOf(new TestLog([decisionEntry(0), decisionEntry(1)])));
    expect(verdict.words).toMatch(
      /0 redemptions; no entry is shown only by its hash, so the workspace has no others$/,
    );
  });

  it('finds a decision that was redeemed twice, however many entries are between, in bounded memory', async () => {
    const at = (ms: number) => new Date(Date.parse('2026-11-15T04:00:00Z') + ms).toISOString();
    const between = Array.from({ length: 50 }, (_, i) =>
      redemption({ decision_id: `dec_other_${i}`, timestamp: at(i) }),
    );
    const first = redemption({ timestamp: at(0) });
    const twice = new TestLog([first, ...between, redemption({ timestamp: at(300_000) })]);
    expect(await verdictOf(exportOf(twice))).toMatchObject({
      ok: false,
      fault: { code: 'redeemed_twice', index: 51 },
      words: expect.stringContaining('decision `dec_1` was already redeemed'),
    });
    const redeemed = new RecentRedemptions();
    expect(redeemed.add({ decision_id: 'a', timestamp: at(0) })).toBe(true);
    expect(redeemed.add({ decision_id: 'b', timestamp: at(3_600_000) })).toBe(true);
    expect(redeemed.add({ decision_id: 'a', timestamp: at(3_600_000) })).toBe(false);
    expect(redeemed.add({ decision_id: 'c', timestamp: at(3_600_001) })).toBe(true);
    expect(redeemed.add({ decision_id: 'a', timestamp: at(3_600_002) })).toBe(true);
  });

  it('reads a bundle with names that JSON.parse may misread', async () => {
    // V8 reads the name as the backslash that it saw in that place.
    JSON.parse('{"kind":"bundle","digest":"","documents":[{"a":1,"\\\\":1}]}');
    const documents = [{ a: 1, '"': 2 }];
    const line = exportLine({
      kind: 'bundle',
      digest: digestOf(Buffer.from(canonicalJson(documents))),
      documents,
    });
    expect(parseExportLine(line)).toMatchObject({ documents });
  });

  it('shows redemptions, which have no record', async () => {
    const entries = [...mixedEntries(3), redemption()];
    const log = new TestLog(entries);
    expect(await verdictOf(exportOf(log))).toMatchObject({ ok: true, counts: { redemptions: 1 } });
    const foreign = new TestLog([redemption({ workspace: OTHER_WORKSPACE })]);
    expect(await faultOf([header([{ log: foreign }]), ...foreign.entryLines()])).toMatchObject({
      ...{ code: 'other_workspace', line: 2, log: 'w1', index: 0 },
    });
    const withRecord = new TestLog([{ ...redemption(), record: Buffer.from('x') }]);
    const lines = [header([{ log: withRecord }]), ...withRecord.entryLines()];
    expect(await faultOf(lines)).toMatchObject({ code: 'record_unexpected' });
  });

  it('with pruned entries still verifies, with hashes in their place', async () => {
    const log = new TestLog(
      mixedEntries(12).map((entry, i) => ({ ...entry, isHidden: i < 6 || entry.isHidden === true })),
    );
    expect(log.root()).toEqual(LOG.root());
    expect(await verdictOf(exportOf(log))).toMatchObject({ ok: true, counts: { hashes: 8 } });
  });

  it('of an empty log verifies', async () => {
    const empty = new TestLog([]);
    expect((await verdictOf(exportOf(empty))).ok).toBe(true);
    const wrongRoot = {
      ...empty,
      log: 'w1',
      checkpoint: () => SIGNER.note(`writecheck/w1\n0\n${base64(LOG.root())}\n`),
    };
    const fault = await faultOf([header([{ log: wrongRoot as unknown as TestLog }])]);
    expect(fault).toMatchObject({ code: 'root_mismatch', line: 1, log: 'w1' });
    expect(fault).not.toHaveProperty('index');
  });

  it('names the place of the first error: line, log and entry', async () => {
    const entries = ENTRIES.with(5, { ...(ENTRIES[5] as ExportEntry), record: base64(Buffer.from('{}')) });
    const verdict = await verdictOf(exportText([HEADER, BUNDLE_LINE, ...entries]));
    expect(verdict.words).toBe(
      'not verified: line 8, log `w1`, entry 5: the record is not the one whose digest the leaf holds',
    );
  });

  it('narrows a changed leaf down by the checkpoints among the entries', async () => {
    const checkpointAt = (size: number): ExportLine => ({
      ...{ kind: 'checkpoint', log: 'w1', checkpoint: LOG.checkpoint(size) },
    });
    const withCheckpoints = (entries: readonly ExportLine[]) => [
      ...[HEADER, BUNDLE_LINE, ...entries.slice(0, 4), checkpointAt(4)],
      ...[...entries.slice(4, 8), checkpointAt(8), ...entries.slice(8)],
    ];
    expect(await faultOf(withCheckpoints(ENTRIES))).toBeNull();
    const { bytes, record } = decisionEntry(5, { keyId: 'key_other' });
    const changed = {
      kind: 'entry',
      log: 'w1',
      index: 5,
      leaf: base64(bytes),
      record: base64(record!),
    } as const;
    expect(await faultOf(withCheckpoints(ENTRIES.with(5, changed)))).toEqual({
      ...{ code: 'root_mismatch', line: 12, log: 'w1', index: 7 },
      message:
        'the first 8 entries are not those that were signed; the difference lies between entries 4 and 7',
    });
    const misplaced = [HEADER, BUNDLE_LINE, checkpointAt(4), ...ENTRIES];
    expect(await faultOf(misplaced)).toMatchObject({ code: 'misplaced_checkpoint', line: 3 });
    const foreign = { kind: 'checkpoint', log: 'w1', checkpoint: LOG.checkpoint(0, STRANGER) } as const;
    expect(await faultOf([HEADER, foreign, ...ENTRIES])).toMatchObject({ code: 'unknown_signer', line: 2 });
    const unknown = { ...foreign, log: 'w9' };
    expect(await faultOf([HEADER, unknown, ...ENTRIES])).toMatchObject({ code: 'unknown_log', line: 2 });
  });

  it('is refused if a line is missing, even if the rest is in order', async () => {
    const text = exportOf(LOG);
    for (let at = 0; at < text.length; at += 1) {
      expect((await verdictOf(text.toSpliced(at, 1))).ok, `without line ${at + 1}`).toBe(false);
    }
  });

  it('is refused if it continues after its trailer or repeats its header', async () => {
    const text = exportOf(LOG);
    for (const more of [text[0]!, text[3]!, text.at(-1)!, '']) {
      expect((await verdictOf([...text, more])).ok).toBe(false);
    }
    expect((await verdictOf(text.toSpliced(1, 0, text[0]!))).ok).toBe(false);
  });

  it('is refused if its trailer counts wrong', async () => {
    const text = exportOf(LOG).with(-1, '{"kind":"trailer","lines":13}');
    expect(await verdictOf(text)).toMatchObject({ ok: false, fault: { code: 'incomplete', line: 15 } });
  });

  it('of another workspace than requested is refused, and so is an entry of another', async () => {
    const other = await verdictOf(exportOf(LOG), { workspace: OTHER_WORKSPACE });
    expect(other).toMatchObject({ ok: false, fault: { code: 'other_workspace', line: 1 } });
    const leaky = new TestLog(mixedEntries(4).map((entry) => ({ ...entry, isHidden: false })));
    expect(await verdictOf(exportOf(leaky))).toMatchObject({
      ...{ ok: false, fault: { code: 'other_workspace', line: 6, index: 3 } },
    });
  });

  it('without a decision’s record or its bundle is refused', async () => {
    const { record: _, ...without } = ENTRIES[0] as ExportEntry;
    const bare = ENTRIES.with(0, without);
    expect(await faultOf([HEADER, BUNDLE_LINE, ...bare])).toMatchObject({ code: 'record_missing', index: 0 });
    expect(await faultOf([HEADER, ...ENTRIES])).toMatchObject({ code: 'bundle_missing', index: 0 });
    expect(await faultOf([HEADER, ...ENTRIES, BUNDLE_LINE])).toMatchObject({ code: 'bundle_missing' });
    const badRecord = ENTRIES.with(0, { ...without, record: 'not base64' });
    expect(await faultOf([HEADER, BUNDLE_LINE, ...badRecord])).toMatchObject({ code: 'record_mismatch' });
  });

  it('with another bundle than the digest names, or with a duplicate one, is refused', async () => {
    const bundles: ExportLine[] = [
      { kind: 'bundle', digest: BUNDLE_DIGEST, documents: [...DOCUMENTS, { kind: 'Profile', id: 'x' }] },
      { kind: 'bundle', digest: BUNDLE_DIGEST, documents: ['\ud800'] },
    ];
    for (const bundle of bundles) {
      expect(await faultOf([HEADER, bundle, ...ENTRIES])).toMatchObject({ code: 'bundle_mismatch', line: 2 });
    }
    const twice = [HEADER, BUNDLE_LINE, BUNDLE_LINE, ...ENTRIES];
    expect(await faultOf(twice)).toMatchObject({ code: 'unexpected_line', line: 3 });
  });

  it('with an entry of another log, of no log or in another form is refused', async () => {
    const stray = { ...(ENTRIES[0] as ExportEntry), log: 'w9' };
    expect(await faultOf([HEADER, BUNDLE_LINE, stray])).toMatchObject({ code: 'unknown_log' });
    const hash = { kind: 'hash', log: 'w9', index: 0, hash: base64(LOG.root()) } as const;
    expect(await faultOf([HEADER, hash])).toMatchObject({ code: 'unknown_log' });
    const foreign = new TestLog([decisionEntry(1, { log: 'w2' })]);
    const lines = [header([{ log: foreign }]), ...foreign.entryLines()];
    expect(await faultOf(lines)).toMatchObject({ code: 'log_mismatch', index: 0 });
    for (const leaf of ['', 'AAAA', 'no base64']) {
      const broken = ENTRIES.with(0, { ...(ENTRIES[0] as ExportEntry), leaf });
      expect(await faultOf([HEADER, BUNDLE_LINE, ...broken])).toMatchObject({ code: 'malformed_leaf' });
    }
  });

  it('with more entries than its checkpoint covers is refused', async () => {
    const longer = new TestLog(mixedEntries(13)).entryLines();
    expect(await faultOf([HEADER, BUNDLE_LINE, ...longer])).toMatchObject({ code: 'wrong_index', index: 12 });
  });

  it('is refused without a valid signature on every log’s checkpoint', async () => {
    const withCheckpoint = (checkpoint: string) => [
      ...[{ ...HEADER, logs: [{ log: 'w1', checkpoint }] }, BUNDLE_LINE, ...ENTRIES],
    ];
    const other = new TestLog(mixedEntries(12, 'w2'), 'w2');
    expect(await faultOf(withCheckpoint(LOG.checkpoint(12, STRANGER)))).toMatchObject({
      ...{ code: 'unknown_signer', line: 1, log: 'w1' },
    });
    expect(await faultOf(withCheckpoint('nonsense'))).toMatchObject({ code: 'malformed_checkpoint' });
    expect(await faultOf(withCheckpoint(other.checkpoint()))).toMatchObject({ code: 'log_mismatch' });
    const log = { log: 'w1', checkpoint: LOG.checkpoint() };
    const twice = [{ ...HEADER, logs: [log, log] }, BUNDLE_LINE, ...ENTRIES];
    expect(await faultOf(twice)).toMatchObject({ code: 'malformed_line', log: 'w1' });
  });

  it('is not verified without a key', async () => {
    for (const keys of [[], '', ['nonsense']]) {
      expect(await verdictOf(exportOf(LOG), { keys })).toMatchObject({
        ...{ ok: false, fault: { code: 'invalid_argument', line: 0 } },
      });
    }
  });

  it('signed before a change of keys verifies if both keys are given', async () => {
    const next = testSigner('writecheck', Buffer.alloc(32, 9));
    const older = { kind: 'checkpoint', log: 'w1', checkpoint: LOG.checkpoint(4) } as const;
    const newer = { ...HEADER, logs: [{ log: 'w1', checkpoint: LOG.checkpoint(12, next) }] };
    const lines = [newer, BUNDLE_LINE, ...ENTRIES.slice(0, 4), older, ...ENTRIES.slice(4)];
    expect(await faultOf(lines, { keys: [SIGNER.line, next.line] })).toBeNull();
    expect(await faultOf(lines, { keys: [next.line] })).toMatchObject({ code: 'unknown_signer', line: 7 });
  });

  it('without any line read is not verified', () => {
    expect(new ExportVerifier({ keys: [SIGNER.line] }).finish()).toMatchObject({ ok: false });
  });
});

describe('a checkpoint kept elsewhere', () => {
  const known = (...knownCheckpoints: string[]) => verdictOf(exportOf(LOG), { knownCheckpoints });

  it('is confirmed at any size within the export', async () => {
    for (let size = 0; size <= 12; size += 1) expect((await known(LOG.checkpoint(size))).ok).toBe(true);
  });

  it('exposes a log that was rolled back, forked or left out', async () => {
    const longer = new TestLog(mixedEntries(13));
    expect(await known(longer.checkpoint())).toMatchObject({
      fault: { code: 'rolled_back', log: 'w1', line: 1 },
    });
    const fork = new TestLog(mixedEntries(12).with(7, decisionEntry(99)));
    expect(await known(fork.checkpoint())).toMatchObject({ fault: { code: 'forked' } });
    expect(await known(fork.checkpoint(9))).toMatchObject({ fault: { code: 'root_mismatch', index: 8 } });
    expect((await known(fork.checkpoint(7))).ok).toBe(true);
    const other = new TestLog(mixedEntries(3, 'w2'), 'w2');
    expect(await known(other.checkpoint())).toMatchObject({ fault: { code: 'unknown_log', log: 'w2' } });
  });

  it('must itself be signed by a known key', async () => {
    expect(await known(LOG.checkpoint(3, STRANGER))).toMatchObject({ fault: { code: 'unknown_signer' } });
    expect(await known('nonsense')).toMatchObject({ fault: { code: 'malformed_checkpoint' } });
  });
});

describe('a log that continues another after a restored backup', () => {
  const continues = LOG.checkpoint(8);
  const continuing = (checkpoint: string, at = 0) => {
    const timestamp = '2026-11-15T05:00:00.000Z';
    const first = { bytes: continuationBytes({ kind: 'continuation', log: 'w2', timestamp, checkpoint }) };
    return new TestLog(mixedEntries(5, 'w2').toSpliced(at, 0, first), 'w2');
  };
  const linesOf = (next: TestLog, named: string | undefined, ...logs: TestLog[]) => [
    header([
      ...logs.map((log) => ({ log })),
      { log: next, ...(named !== undefined && { continues: named }) },
    ]),
    ...[BUNDLE_LINE, ...logs.flatMap((log) => log.entryLines()), ...next.entryLines()],
  ];

  it('verifies together with it', async () => {
    const next = continuing(continues);
    const verdict = await verdictOf(exportText(linesOf(next, continues, LOG)));
    expect(verdict).toMatchObject({ ok: true, counts: { continuations: 1 } });
  });

  it('reports the newest known loss, and continues once its continuation is accepted', async () => {
    const kept = new TestLog(mixedEntries(8));
    const lines = linesOf(continuing(continues), continues, kept);
    const knownCheckpoints = [9, 12, 10].map((size) => LOG.checkpoint(size));
    const lost = { code: 'rolled_back', log: 'w1', continuedBy: 'w2' };
    const fault = await faultOf(lines, { knownCheckpoints });
    expect(fault).toMatchObject(lost);
    expect(fault?.message).toContain('12 entries is known, the export ends at 8');
    expect(await faultOf(lines, { knownCheckpoints, continued: ['w3'] })).toMatchObject(lost);
    expect(await verdictOf(exportText(lines), { knownCheckpoints, continued: ['w2'] })).toMatchObject({
      ok: true,
      losses: [{ log: 'w1', known: 12, size: 8, by: 'w2' }],
    });
    // The existing entries must still be the known ones.
    const fork = new TestLog(mixedEntries(12).with(5, decisionEntry(99)));
    const forked = { knownCheckpoints: [fork.checkpoint(7)], continued: ['w2'] };
    expect(await faultOf(lines, forked)).toMatchObject({ code: 'root_mismatch', log: 'w1' });
  });

  it('is refused without it, or with another history than the one it names', async () => {
    const next = continuing(continues);
    expect(await faultOf(linesOf(next, continues))).toMatchObject({ code: 'unknown_log', log: 'w1' });
    const fork = new TestLog(mixedEntries(12).with(7, decisionEntry(99)));
    expect(await faultOf(linesOf(next, continues, fork))).toMatchObject({ code: 'root_mismatch', log: 'w1' });
    const shorter = new TestLog(mixedEntries(7));
    expect(await faultOf(linesOf(next, continues, shorter))).toMatchObject({
      code: 'rolled_back',
      log: 'w1',
    });
  });

  it('is refused if header and first entry do not name the same checkpoint', async () => {
    const wrong = { code: 'bad_continuation', log: 'w2' };
    expect(await faultOf(linesOf(continuing(continues), undefined, LOG))).toMatchObject(wrong);
    expect(await faultOf(linesOf(continuing(continues), LOG.checkpoint(7), LOG))).toMatchObject(wrong);
    const plain = new TestLog(mixedEntries(5, 'w2'), 'w2');
    expect(await faultOf(linesOf(plain, continues, LOG))).toMatchObject({ ...wrong, index: 0 });
    const later = continuing(continues, 2);
    expect(await faultOf(linesOf(later, undefined, LOG))).toMatchObject({ ...wrong, index: 2 });
    const hidden = new TestLog([{ ...continuing(continues).entries[0]!, isHidden: true }], 'w2');
    expect(await faultOf(linesOf(hidden, continues, LOG))).toMatchObject({ ...wrong, index: 0 });
  });

  it('is refused if the checkpoint it continues from is signed by a stranger', async () => {
    const forged = LOG.checkpoint(8, STRANGER);
    expect(await faultOf(linesOf(continuing(forged), forged, LOG))).toMatchObject({ code: 'unknown_signer' });
  });
});

describe('a line', () => {
  it('is refused unless its form is exact', async () => {
    const text = exportOf(LOG);
    const entry = text[2]!;
    const changed = [
      ` ${entry}`,
      entry.replace('"index":0', '"index":0 '),
      entry.replace('"index":0', '"index":1,"index":0'),
      entry.replace('"index":0', '"index":0.0'),
      entry.replace('"index":0', '"index":-1'),
      entry.replace('"index":0', '"index":"0"'),
      entry.replace('"index":0', '"index":0,"more":1'),
      entry.replace('"kind":"entry"', '"kind":"other"'),
      entry.replace('"log":"w1"', '"log":"w 1"'),
      entry.slice(0, -1),
      'null',
      '[]',
      '1',
      '',
    ];
    for (const line of changed) {
      expect(line).not.toBe(entry);
      const verdict = await verdictOf(text.with(2, line));
      expect(verdict, line).toMatchObject({ ok: false, fault: { code: 'malformed_line', line: 3 } });
    }
  });

  it('of each kind is refused with members missing or of the wrong type', async () => {
    const lines: ExportLine[] = [
      ...[HEADER, BUNDLE_LINE, ENTRIES[0]!, ENTRIES[3]!],
      { kind: 'checkpoint', log: 'w1', checkpoint: LOG.checkpoint(0) },
      { kind: 'trailer', lines: 3 },
    ];
    for (const line of lines) {
      for (const member of Object.keys(line).filter((name) => name !== 'record')) {
        const { [member]: _, ...without } = line as unknown as Record<string, unknown>;
        for (const broken of [without, { ...line, [member]: { wrong: true } }, { ...line, [member]: '' }]) {
          if (member === 'leaf' && 'leaf' in broken && broken.leaf === '') continue;
          const text = JSON.stringify(broken);
          const lead = line.kind === 'header' ? [] : [JSON.stringify(HEADER)];
          const verdict = await verdictOf([...lead, text]);
          expect(verdict, text).toMatchObject({ ok: false, fault: { code: 'malformed_line' } });
        }
      }
    }
    const logs = [
      {},
      null,
      { log: 'w1' },
      { ...HEADER.logs[0], continues: '' },
      { ...HEADER.logs[0], more: 1 },
    ];
    for (const log of logs) {
      const verdict = await verdictOf([JSON.stringify({ ...HEADER, logs: [log] })]);
      expect(verdict, JSON.stringify(log)).toMatchObject({ ok: false, fault: { code: 'malformed_line' } });
    }
  });
});

it('an export without a log proves nothing', async () => {
  const header = {
    kind: 'header',
    version: 'writecheck.export.v1',
    workspace: 'ws_0192f0c1d2e37abc8def0123456789ab',
    logs: [],
  };
  const lines = [JSON.stringify(header), JSON.stringify({ kind: 'trailer', lines: 1 })];
  const verdict = await verifyExport(lines, { keys: [] });
  expect(verdict.ok).toBe(false);
});

describe('an export that is not verified says why', () => {
  const entry = ENTRIES[0] as ExportEntry;
  const other = new TestLog(mixedEntries(5, 'w2'), 'w2');
  const wrongBundle: ExportLine = { kind: 'bundle', digest: BUNDLE_DIGEST, documents: [] };
  const formless: ExportLine = { ...entry, leaf: base64(Buffer.from('{}')) };
  const unsigned: ExportHeader = { ...HEADER, logs: [{ log: 'w1', checkpoint: 'x' }] };
  const misnamed: ExportHeader = { ...HEADER, logs: [{ log: 'w1', checkpoint: other.checkpoint() }] };
  const known = 'a checkpoint known beforehand';
  it.each<[object, readonly ExportLine[], Partial<ExportVerifierOptions>]>([
    [
      {
        code: 'invalid_argument',
        message: 'the keys are not all verifier key lines, or there is none',
        line: 0,
      },
      [],
      { keys: [] },
    ],
    [{ code: 'unexpected_line', message: 'a bundle line does not belong here', line: 1 }, [BUNDLE_LINE], {}],
    [
      { code: 'unexpected_line', message: 'a header line does not belong here', line: 2 },
      [HEADER, HEADER],
      {},
    ],
    [
      {
        code: 'other_workspace',
        message: `the export is of workspace \`${WORKSPACE}\`, not \`ws_x\``,
        line: 1,
      },
      [HEADER],
      { workspace: 'ws_x' },
    ],
    [{ code: 'malformed_line', message: 'the export names no log', line: 1 }, [{ ...HEADER, logs: [] }], {}],
    [
      { code: 'malformed_line', message: 'the log is listed twice', line: 1, log: 'w1' },
      [{ ...HEADER, logs: [...HEADER.logs, ...HEADER.logs] }],
      {},
    ],
    [
      { code: 'malformed_checkpoint', message: 'the checkpoint is not a signed note', line: 1, log: 'w1' },
      [unsigned],
      {},
    ],
    [
      { code: 'log_mismatch', message: 'the checkpoint belongs to log `w2`', line: 1, log: 'w1' },
      [misnamed],
      {},
    ],
    [
      { code: 'malformed_checkpoint', message: `${known}: the checkpoint is not a signed note`, line: 1 },
      [HEADER],
      { knownCheckpoints: ['x'] },
    ],
    [
      {
        code: 'unknown_log',
        message: `${known} belongs to a log that is not in the export`,
        line: 1,
        log: 'w2',
      },
      [HEADER],
      { knownCheckpoints: [other.checkpoint()] },
    ],
    [
      {
        ...{ code: 'unknown_log', line: 1, log: 'w2' },
        message: 'the checkpoint that `w1` continues from belongs to a log that is not in the export',
      },
      [header([{ log: LOG, continues: other.checkpoint() }])],
      {},
    ],
    [
      {
        ...{ code: 'rolled_back', line: 1, log: 'w1' },
        message: `${known}: rolled back: a checkpoint of 13 entries is known, the export ends at 12`,
      },
      [HEADER],
      { knownCheckpoints: [new TestLog(mixedEntries(13)).checkpoint()] },
    ],
    [
      { code: 'unknown_log', message: 'the header names no such log', line: 2, log: 'w9' },
      [HEADER, { ...entry, log: 'w9' }],
      {},
    ],
    [
      { code: 'unknown_log', message: 'the header names no such log', line: 2, log: 'w9' },
      [HEADER, { kind: 'hash', log: 'w9', index: 0, hash: base64(LOG.root()) }],
      {},
    ],
    [
      { code: 'unknown_log', message: 'the header names no such log', line: 2, log: 'w9' },
      [HEADER, { kind: 'checkpoint', log: 'w9', checkpoint: LOG.checkpoint(0) }],
      {},
    ],
    [
      {
        ...{ code: 'malformed_leaf', line: 2, log: 'w1', index: 0 },
        message: 'the leaf is not an entry in its exact form',
      },
      [HEADER, formless],
      {},
    ],
    [
      {
        ...{ code: 'malformed_leaf', line: 2, log: 'w1', index: 0 },
        message: 'the leaf is not an entry in its exact form',
      },
      [HEADER, { ...entry, leaf: 'no base64' }],
      {},
    ],
    [
      { code: 'unexpected_line', message: `bundle \`${BUNDLE_DIGEST}\` appears twice`, line: 3 },
      [HEADER, BUNDLE_LINE, BUNDLE_LINE],
      {},
    ],
    [
      {
        code: 'bundle_mismatch',
        message: `the documents are not those of bundle \`${BUNDLE_DIGEST}\``,
        line: 2,
      },
      [HEADER, wrongBundle],
      {},
    ],
    [{ code: 'incomplete', message: 'only 0 of the 12 entries are there', line: 2, log: 'w1' }, [HEADER], {}],
  ])('%o', async (fault, lines, options) => {
    expect(await faultOf(lines, options)).toEqual(fault);
  });

  it('if its first entry is hidden although the log continues another', async () => {
    const hash = { kind: 'hash', log: 'w1', index: 0, hash: base64(LOG.root()) } as const;
    const continues = other.checkpoint();
    const lines = [header([{ log: LOG, continues }, { log: other }]), hash];
    expect(await faultOf(lines)).toEqual({
      ...{ code: 'bad_continuation', line: 2, log: 'w1', index: 0 },
      message: 'the first entry of a log that continues another must be shown',
    });
  });

  it('if any of several known checkpoints, or logs that continue others, does not fit', async () => {
    const fits = [LOG.checkpoint(3), LOG.checkpoint(5)];
    expect(await faultOf([HEADER, BUNDLE_LINE, ...ENTRIES], { knownCheckpoints: fits })).toBeNull();
    const knownCheckpoints = [...fits, 'x'];
    expect(await faultOf([HEADER], { knownCheckpoints })).toMatchObject({ code: 'malformed_checkpoint' });
    const logs = [
      { log: LOG, continues: other.checkpoint() },
      { log: other, continues: 'x' },
    ];
    expect(await faultOf([header(logs)])).toMatchObject({
      code: 'malformed_checkpoint',
      message: 'the checkpoint that `w2` continues from: the checkpoint is not a signed note',
    });
  });

  it('if an entry shown only by its hash is out of place, or another entry is', async () => {
    const log = new TestLog(mixedEntries(3).map((one) => ({ ...one, isHidden: true })));
    const [first, second, last] = log.entryLines() as [ExportLine, ExportLine, ExportLine];
    const start = header([{ log }]);
    expect(await faultOf([start, first, second, last])).toBeNull();
    expect(await faultOf([start, first, last])).toEqual({
      ...{ code: 'wrong_index', line: 3, log: 'w1', index: 2 },
      message: 'entry 2 appears in place of entry 1: entries are missing, doubled or swapped',
    });
    const wrong = { ...last, hash: base64(LOG.root()) } as ExportLine;
    expect(await faultOf([start, first, second, wrong])).toMatchObject({
      ...{ code: 'root_mismatch', line: 4, log: 'w1', index: 2 },
    });
  });

  it('if it is truncated, or its trailer counts wrong, or a line is invalid', async () => {
    const whole = exportOf(LOG);
    const cut = 'the export ends before its trailer: the file is truncated';
    expect(await verdictOf([])).toEqual({
      ...{ ok: false, words: `not verified: ${cut}` },
      fault: { code: 'incomplete', message: cut, line: 0 },
    });
    expect(await verdictOf(whole.slice(0, -1))).toMatchObject({ fault: { message: cut, line: 14 } });
    const miscounted = [...whole.slice(0, -1), '{"kind":"trailer","lines":13}'];
    expect(await verdictOf(miscounted)).toMatchObject({
      fault: { message: 'the trailer counts 13 lines, there are 14 before it', line: 15 },
    });
    expect(await verdictOf([...whole, whole[1]!])).toMatchObject({
      fault: { message: 'a bundle line does not belong here', line: 16 },
    });
    expect(await verdictOf(['{}'])).toMatchObject({
      words: 'not verified: line 1: not a line of writecheck.export.v1',
    });
  });

  it('counts in the singular if there is one', async () => {
    const one = new TestLog([decisionEntry(1)]);
    expect((await verdictOf(exportOf(one))).words).toContain('verified: 1 entry in 1 log, ');
    const redeemed = new TestLog([decisionEntry(1), redemption()]);
    expect((await verdictOf(exportOf(redeemed, other))).words).toContain('7 entries in 2 logs');
    expect((await verdictOf(exportOf(redeemed))).words).toContain(
      '1 decision with its record and 1 redemption; no entry is shown only by its hash',
    );
  });
});

/** The export of a real service: it verifies, reveals nothing about others, and every tampering is detected. */

import { ReplayBundles, replayRecord } from '@writecheck/audit';
import { ENGINE_VERSION } from '@writecheck/engine';
import { decodeBase64, type ExportLine, encodeBase64, leafBytes, parseLeaf } from '@writecheck/ledger';
import { StoreUnavailable } from '@writecheck/store/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, check, PAUSED } from '../ask.ts';
import { startTestService } from '../start-service.ts';
import { type AuditedService, auditedService, exportOf, verdictOf } from './audit-kit.ts';
import { tortureLedger } from './ledger-torture.ts';

let audited: AuditedService;
let lines: readonly string[];
beforeAll(async () => {
  audited = await auditedService(8);
  lines = await exportOf(audited.service);
});
afterAll(() => audited.service.stop());

const parsed = (of: readonly string[]): ExportLine[] => of.map((line) => JSON.parse(line));
const verify = (of: readonly string[], known: readonly string[] = []) =>
  verdictOf(of, { keys: audited.keys, knownCheckpoints: known, workspace: audited.service.workspace });

describe('an export', () => {
  test('verifies, with every decision and redemption of its workspace', async () => {
    const verdict = await verify(lines);
    expect(verdict.ok, verdict.words).toBe(true);
    expect(verdict).toMatchObject({ counts: { decisions: 16, redemptions: 8, hashes: 8, bundles: 2 } });
  });

  test('contains only hashes of other workspaces', async () => {
    const { stranger, service } = audited;
    const all = lines.join('\n');
    const contents = parsed(lines)
      .flatMap((line) => (line.kind === 'entry' ? [line.leaf, line.record ?? ''] : []))
      .map((text) => Buffer.from(text, 'base64').toString())
      .join('\n');
    for (const secret of [stranger.workspace.id, 'THEIRS-1']) {
      expect(all).not.toContain(secret);
      expect(contents).not.toContain(secret);
    }
    const theirs = await exportOf(service, {}, stranger.ownerKey);
    const verdict = await verdictOf(theirs, { keys: audited.keys, workspace: stranger.workspace.id });
    expect(verdict).toMatchObject({ ok: true, counts: { decisions: 8, redemptions: 0, hashes: 33 } });
    const asked = await ask(`${service.url}/v1/audit/export`, { key: service.liveKey });
    expect(asked.body.error.code).toBe('insufficient_scope');
  });

  test('that cannot begin is an error with its code, not a connection that ends', async () => {
    let isFull = false;
    const service = await startTestService({
      throughStore: (store) => ({
        ...store,
        keepCheckpoint: (...asked) => {
          if (isFull) throw new StoreUnavailable('full', 'the disk is full');
          return store.keepCheckpoint(...asked);
        },
      }),
    });
    const exported = () => ask(`${service.url}/v1/audit/export`, { key: service.ownerKey });
    try {
      isFull = true;
      await check(service, PAUSED, { key: service.liveKey });
      const refused = await exported();
      expect([refused.status, refused.body.error.code]).toEqual([503, 'store_unavailable']);
      isFull = false;
      expect((await exported()).status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  test('is decided again to the byte', () => {
    const bundles = new ReplayBundles();
    let records = 0;
    for (const line of parsed(lines)) {
      if (line.kind === 'bundle') bundles.add(line.digest, line.documents);
      if (line.kind !== 'entry' || line.record === undefined) continue;
      records += 1;
      const leaf = parseLeaf(decodeBase64(line.leaf)!)!;
      const record = decodeBase64(line.record)!;
      expect(replayRecord(record, leaf, bundles)).toEqual({ kind: 'same' });
      const other = Buffer.from(
        Buffer.from(record)
          .toString()
          .replace(/"decision":"(allow|pause)"/, '"decision":"block"'),
      );
      expect(replayRecord(other, leaf, bundles).kind).toBe('differs');
      expect(replayRecord(record, { ...leaf, decision: 'block' }, bundles).kind).toBe('differs');
      expect(replayRecord(record, leaf, new ReplayBundles()).kind).toBe(
        leaf.policyRef === null ? 'same' : 'differs',
      );
    }
    expect(records).toBe(16);
  });

  test('recorded by another engine counts as same or unrepeatable, never as changed', () => {
    const bundles = new ReplayBundles();
    for (const line of parsed(lines)) {
      if (line.kind === 'bundle') bundles.add(line.digest, line.documents);
      if (line.kind !== 'entry' || line.record === undefined) continue;
      const leaf = parseLeaf(decodeBase64(line.leaf)!)!;
      const text = Buffer.from(decodeBase64(line.record)!).toString();
      const older = text.replace(`"engine":"${ENGINE_VERSION}"`, '"engine":"1"');
      expect(older).not.toBe(text);
      // That engine had no reviews, so it cannot have offered one.
      const same = text.includes('review-desk') ? { kind: 'unrepeatable', engine: '1' } : { kind: 'same' };
      expect(replayRecord(Buffer.from(older), leaf, bundles)).toEqual(same);
      // That engine seems to have given another reason for the same decision.
      const other = Buffer.from(older.replace(/"reason":"/, '"reason":"Formerly: '));
      expect(replayRecord(other, leaf, bundles)).toEqual({ kind: 'unrepeatable', engine: '1' });
      expect(replayRecord(other, { ...leaf, decision: 'block' }, bundles).kind).toBe('differs');
    }
  });

  test('filtered by time shows the others as hashes, and verifies as well', async () => {
    const times = parsed(lines).flatMap((line) =>
      line.kind === 'entry'
        ? [(JSON.parse(Buffer.from(line.leaf, 'base64').toString()) as { timestamp: string }).timestamp]
        : [],
    );
    const middle = times[12]!;
    const [before, after] = [
      await exportOf(audited.service, { to: middle }),
      await exportOf(audited.service, { from: middle }),
    ];
    const shown = (of: readonly string[]) => parsed(of).filter(({ kind }) => kind === 'entry').length;
    expect(shown(before)).toBe(times.filter((time) => time < middle).length);
    expect(shown(before) + shown(after)).toBe(33);
    for (const one of [before, after]) expect((await verify(one)).ok).toBe(true);
  });

  test('continues after any interruption to the same bytes, even if the log grew meanwhile', async () => {
    const { log } = audited.service.store;
    const whole = await exportOf(audited.service);
    const entries = parsed(whole).filter(({ kind }) => kind === 'entry' || kind === 'hash').length;
    await check(audited.service, PAUSED, { key: audited.service.liveKey });
    for (let had = whole.length - 1 - entries + 1; had < whole.length; had += 5) {
      const last = parsed(whole)[had - 1] as { readonly index: number };
      const place = { lines: had, log, index: last.index, sizes: { [log]: entries } };
      const resume = Buffer.from(JSON.stringify(place)).toString('base64url');
      const rest = await exportOf(audited.service, { resume });
      expect([...whole.slice(0, had), ...rest]).toEqual(whole);
    }
  });

  test.each([
    ['resume', 'x'],
    ['resume', Buffer.from('{"lines":3,"log":"no","index":0,"sizes":{"no":5}}').toString('base64url')],
    ['from', 'yesterday'],
    ['form', '2026-11-15T00:00:00Z'],
  ])('refuses %s=%s', async (name, value) => {
    const url = `${audited.service.url}/v1/audit/export?${new URLSearchParams({ [name]: value })}`;
    const { status, body } = await ask(url, { key: audited.service.ownerKey });
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
  });
});

describe('tampering with an export is detected at every place', () => {
  const places = (): number[] =>
    parsed(lines).flatMap(({ kind }, i) => (kind === 'entry' || kind === 'hash' ? [i] : []));
  const written = (of: readonly ExportLine[]): string[] => of.map((line) => JSON.stringify(line));
  const renumbered = (of: readonly ExportLine[]): ExportLine[] => {
    let index = 0;
    const numbered = of.map((line) =>
      line.kind === 'entry' || line.kind === 'hash' ? { ...line, index: index++ } : line,
    );
    return numbered.map((line, at) => (line.kind === 'trailer' ? { ...line, lines: at } : line));
  };
  const edited = (line: ExportLine): ExportLine => {
    if (line.kind === 'hash') return { ...line, hash: encodeBase64(Buffer.alloc(32, 7)) };
    if (line.kind !== 'entry') return line;
    const bytes = decodeBase64(line.leaf)!;
    const leaf = parseLeaf(bytes);
    if (leaf !== null) return { ...line, leaf: encodeBase64(leafBytes({ ...leaf, decision: 'block' })) };
    const text = Buffer.from(bytes).toString().replace('"timestamp":"2', '"timestamp":"3');
    return { ...line, leaf: encodeBase64(Buffer.from(text)) };
  };
  const recordEdited = (line: ExportLine): ExportLine =>
    line.kind === 'entry' && line.record !== undefined
      ? { ...line, record: encodeBase64(Buffer.concat([decodeBase64(line.record)!, Buffer.from(' ')])) }
      : edited(line);
  const swapped = (of: readonly ExportLine[], at: number): ExportLine[] => {
    const other = at + 1 < of.length - 1 ? at + 1 : at - 1;
    return of.with(at, of[other]!).with(other, of[at]!);
  };

  test.each<[string, (of: readonly ExportLine[], at: number) => readonly ExportLine[]]>([
    ['edit a leaf', (of, at) => of.with(at, edited(of[at]!))],
    ['edit a record', (of, at) => of.with(at, recordEdited(of[at]!))],
    ['delete', (of, at) => of.toSpliced(at, 1)],
    ['delete and renumber', (of, at) => renumbered(of.toSpliced(at, 1))],
    ['repeat and renumber', (of, at) => renumbered(of.toSpliced(at, 0, of[at]!))],
    ['swap', (of, at) => swapped(of, at)],
    ['swap and renumber', (of, at) => renumbered(swapped(of, at))],
    ['cut the tail', (of, at) => renumbered([...of.slice(0, at), of.at(-1)!])],
    ['cut the file', (of, at) => of.slice(0, at)],
  ])('%s', async (_name, change) => {
    const honest = parsed(lines);
    for (const at of places()) {
      const verdict = await verify(written(change(honest, at)));
      expect(verdict.ok, `${at}: ${verdict.words}`).toBe(false);
    }
  });

  test('an earlier export is complete, but a checkpoint kept since then exposes it', async () => {
    const newer = await check(audited.service, PAUSED, { key: audited.service.liveKey });
    expect(newer.status).toBe(200);
    const checkpoint = (await ask(`${audited.service.url}/v1/audit/checkpoint`)).text;
    expect((await verify(lines)).ok).toBe(true);
    expect(await verify(lines, [checkpoint])).toMatchObject({ ok: false, fault: { code: 'rolled_back' } });
  });

  test('another signer is not accepted for this log', async () => {
    const other = await auditedService(1);
    const theirs = await exportOf(other.service);
    await other.service.stop();
    expect(await verdictOf(theirs, { keys: audited.keys })).toMatchObject({
      fault: { code: 'unknown_signer' },
    });
  });
});

test('seven ways of tampering at each of 200 places of a log are all detected', {
  tags: 'nightly',
  timeout: 60_000,
}, async () => {
  expect(await tortureLedger(200, 1)).toEqual({ tried: 1_400, places: 200, faults: [] });
});

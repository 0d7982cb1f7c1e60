import { describe, expect, it } from 'vitest';
import { SoftAuthenticator } from '../test/soft-authenticator.ts';
import { BUNDLE_LINE, base64, exportText, header, mixedEntries, TestLog } from '../test/test-log.ts';
import { reviewLogEntry } from '../test/test-reviews.ts';
import { SIGNER, STRANGER } from '../test/test-signer.ts';
import type { ExportHeader, ExportLine } from './export-line.ts';
import { Frontier } from './frontier.ts';
import { leafHash } from './merkle-hash.ts';
import { verifyExport } from './verify-export.ts';

const LOG = new TestLog(mixedEntries(12));

function frontierOf(log: TestLog, size: number): Frontier {
  const frontier = new Frontier();
  for (const { bytes } of log.entries.slice(0, size)) frontier.append(leafHash(bytes));
  return frontier;
}

function linesSince(size: number, log = LOG, since = base64(frontierOf(log, size).toBytes())): ExportLine[] {
  const whole = header([{ log }]) as ExportHeader;
  const logs = whole.logs.map((one) => ({ ...one, since }));
  return [{ ...whole, logs }, BUNDLE_LINE, ...log.entryLines().slice(size)];
}

function verdictOf(lines: readonly ExportLine[], knownCheckpoints: readonly string[]) {
  return verifyExport(exportText(lines), { keys: SIGNER.line, knownCheckpoints });
}

async function codeOf(lines: readonly ExportLine[], known: readonly string[]) {
  const verdict = await verdictOf(lines, known);
  return verdict.ok ? null : verdict.fault.code;
}

describe('an export since a checkpoint', () => {
  it('of any size verifies for anybody who trusts that checkpoint, and says what was not read', async () => {
    for (let size = 1; size <= 12; size += 1) {
      const verdict = await verdictOf(linesSince(size), [LOG.checkpoint(size)]);
      expect(verdict).toMatchObject({ ok: true, unread: { entries: size, verdicts: 0, checkpoints: 0 } });
      expect(verdict.words).toContain('after the trusted checkpoints in 1 log');
      expect(verdict.words).not.toContain('has no others');
    }
  });

  it('is refused for anybody who trusts nothing, another size, or a checkpoint that no known key signed', async () => {
    for (let size = 1; size <= 12; size += 1) {
      expect(await codeOf(linesSince(size), [])).toBe('untrusted_start');
      for (const other of [size - 1, size + 1].filter((each) => each <= 12))
        expect(await codeOf(linesSince(size), [LOG.checkpoint(other)])).toBe('untrusted_start');
      expect(await codeOf(linesSince(size), [LOG.checkpoint(size, STRANGER)])).not.toBeNull();
    }
  });

  it('does not begin with another tree than the trusted one, and every entry after it is in its place', async () => {
    const other = new TestLog(mixedEntries(12, 'w1').reverse());
    const trusted = [LOG.checkpoint(5)];
    const lines = linesSince(5);
    const begun = base64(frontierOf(other, 5).toBytes());
    expect(await codeOf(linesSince(5, LOG, begun), trusted)).toBe('root_mismatch');
    for (let at = 2; at < lines.length; at += 1) {
      expect(await codeOf(lines.toSpliced(at, 1), trusted)).not.toBeNull();
      expect(await codeOf(lines.with(at, lines[at === 2 ? 3 : 2]!), trusted)).not.toBeNull();
    }
    expect(await codeOf(linesSince(4), trusted)).toBe('untrusted_start');
    expect(await codeOf(linesSince(5, LOG, 'AAAA'), trusted)).toBe('malformed_line');
  });

  it('is compared with every other known checkpoint from there on, and counts those before', async () => {
    const known = [2, 5, 9].map((size) => LOG.checkpoint(size));
    expect(await verdictOf(linesSince(5), known)).toMatchObject({ ok: true, unread: { checkpoints: 1 } });
    const other = new TestLog(mixedEntries(12, 'w1').reverse());
    expect(await codeOf(linesSince(5), [...known, other.checkpoint(10)])).toBe('root_mismatch');
    const longer = new TestLog(mixedEntries(13));
    expect(await codeOf(linesSince(5), [...known, longer.checkpoint(13)])).toBe('rolled_back');
  });

  it('cannot claim that it continues another log: only its first entry can', async () => {
    const lines = linesSince(5);
    const [first, ...rest] = lines as [ExportHeader, ...ExportLine[]];
    const logs = first.logs.map((one) => ({ ...one, continues: LOG.checkpoint(3) }));
    const longer = new TestLog(mixedEntries(13));
    const verdict = await verifyExport(exportText([{ ...first, logs }, ...rest]), {
      ...{ keys: SIGNER.line, continued: ['w1'] },
      knownCheckpoints: [LOG.checkpoint(5), longer.checkpoint(13)],
    });
    expect(verdict).toMatchObject({ ok: false, fault: { code: 'rolled_back' } });
  });

  it('counts verdicts of passkeys that it does not show, and a whole export refuses them', async () => {
    const device = new SoftAuthenticator('https://writecheck.example.com');
    device.create({
      challenge: 'AAAA',
      rp: { id: 'writecheck.example.com' },
      user: { id: 'AAAA' },
      pubKeyCredParams: [{ alg: -7 }],
    });
    const assertion = device.assertion(new Uint8Array(32));
    const details = { verdict: 'approve', controls: ['a'], comment: null, identity: 'passkey', assertion };
    const by = { kind: 'person', id: 'per_1' } as const;
    const log = new TestLog([...mixedEntries(3), reviewLogEntry({ event: 'verdict', by, details })]);
    const trusted = [log.checkpoint(3)];
    expect(await verdictOf(linesSince(3, log), trusted)).toMatchObject({ ok: true, unread: { verdicts: 1 } });
    const whole = [header([{ log }]), BUNDLE_LINE, ...log.entryLines()];
    expect(await codeOf(whole, trusted)).toBe('assertion_invalid');
  });
});

/** Tests what reconciling writes to disk. */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HistoryStore } from './history-store.ts';

const CHANGES = 1_000;
const CACHE_KIB = 256;
const SECRET = 'DE-secret-iban';

test('values never reach the disk, and a process killed while sorting leaves no file behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-history-'));
  const before = process.env.SQLITE_TMPDIR;
  process.env.SQLITE_TMPDIR = folder;
  try {
    const store = new HistoryStore(0, CACHE_KIB);
    for (let line = 1; line <= CHANGES; line += 1) {
      const change = { kind: 'change', line, at: { ms: line, beyondMs: 0 }, newValue: SECRET } as const;
      const target = { objectType: 'vendor', objectRef: 'x'.repeat(1_500), field: 'iban' };
      store.addChange({ ...change, ...target, actor: '', operation: '' }, target, SECRET);
    }
    expect(store.events().next().done).toBe(false);
    const open = readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const path = readlinkSync(`/proc/self/fd/${fd}`);
        return path.startsWith(folder) ? [`/proc/self/fd/${fd}`] : [];
      } catch {
        return [];
      }
    });
    expect(open.length).toBeGreaterThan(0);
    for (const fd of open) expect(readFileSync(fd).includes(SECRET)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    store.close();
  } finally {
    if (before === undefined) delete process.env.SQLITE_TMPDIR;
    else process.env.SQLITE_TMPDIR = before;
  }
});

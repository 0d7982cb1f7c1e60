/**
 * Several processes spend one workspace's allowance concurrently: exactly as many checks are admitted as it
 * allows.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { newWorkspace } from '../../../store/test/store-contract/store-contract-values.ts';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../../src/features/keys/allowance.ts';
import { startChild, tortureFolder } from './kill-torture.ts';
import type { Order } from './torture-order.ts';

const PROCESSES = 3;
const CHECKS = 5_000;

export const tortureQuota = async (rounds: number): Promise<readonly string[]> => {
  const folder = tortureFolder();
  const faults: string[] = [];
  const store = await openSqliteStore(folder);
  const children = await Promise.all(Array.from({ length: PROCESSES }, () => startChild(folder)));
  for (let round = 0; round < rounds; round += 1) {
    const { workspace, keys } = newWorkspace();
    await store.createWorkspace(workspace, keys);
    const before = (await store.logs())[0]!.size;
    const answers = children.map((child) => once(child, 'message'));
    for (const [i, child] of children.entries()) {
      const checks = Math.floor(CHECKS / PROCESSES) + (i < CHECKS % PROCESSES ? 1 : 0);
      child.send({ kind: 'spend', workspace: workspace.id, checks } satisfies Order);
    }
    const reports = (await Promise.all(answers)).map(
      ([report]) => report as { admitted: number; refused: number },
    );
    const sum = (of: (report: { admitted: number; refused: number }) => number): number =>
      reports.reduce((total, report) => total + of(report), 0);
    const admitted = sum((report) => report.admitted);
    const recorded = (await store.logs())[0]!.size - before;
    const total = admitted + sum((report) => report.refused);
    if (admitted !== DEVELOPMENT_CHECKS_A_MONTH || recorded !== admitted || total !== CHECKS) {
      faults.push(
        `round ${round}: ${admitted} admitted, ${recorded} recorded, ${total} of ${CHECKS} answered`,
      );
    }
  }
  for (const child of children) child.kill('SIGKILL');
  await store.close();
  rmSync(folder, { recursive: true });
  return faults;
};

/** Runs `npm run torture -- quota [rounds]`. */
export const torture = async (args: readonly string[]) => {
  const [rounds = 100] = args.map(Number);
  return {
    claim: `of ${CHECKS} checks at once from ${PROCESSES} processes, exactly ${DEVELOPMENT_CHECKS_A_MONTH} are admitted`,
    count: `${rounds} rounds`,
    seed: 'none',
    faults: await tortureQuota(rounds),
  };
};

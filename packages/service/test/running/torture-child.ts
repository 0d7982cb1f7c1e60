/** One process of a torture test: sends checks to a shared store as fast as it can, directed by its parent. */

import { isMainThread } from 'node:worker_threads';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { QUEUE_LIMITS } from '../../src/check/check-queue.ts';
import { intentOf, openKit } from '../check-kit.ts';
import { changeWithoutEnd } from '../reviews/change-reviews.ts';
import type { Order } from './torture-order.ts';

const folder = process.env.TORTURE_FOLDER;
const REVIEWERS = 8;
const LIMITS = { deadlineMs: 30_000 };
const ADMISSION = { ...QUEUE_LIMITS, burstMs: 30_000, patienceMs: 30_000 };

if (isMainThread && folder !== undefined && process.send !== undefined) {
  process.on('message', async (order: Order) => {
    const { workspace } = order;
    if (order.kind === 'review') {
      const store = await openSqliteStore(folder);
      for (let i = 0; i < REVIEWERS; i += 1) void changeWithoutEnd(store, workspace);
      return;
    }
    const kit = await openKit({ folder, workspace, limits: LIMITS, admission: ADMISSION });
    kit.clockMs = Date.now();
    if (order.kind === 'spend') {
      const asking = Array.from({ length: order.checks }, () => kit.ask(intentOf(), { kind: 'development' }));
      const answers = await Promise.all(asking);
      const counted = (status: number): number => answers.filter((answer) => answer.status === status).length;
      await kit.close();
      process.send!({ admitted: counted(200), refused: counted(429) });
      return;
    }
    const lane = async (): Promise<never> => {
      for (;;) {
        kit.clockMs = Date.now();
        const { json } = await kit.ask(intentOf({ runId: crypto.randomUUID() }));
        process.stdout.write(`${json.decision_id ?? json.error.code} ${json.decision}\n`);
      }
    };
    for (let i = 0; i < order.lanes; i += 1) void lane();
  });
  process.send({ kind: 'ready' });
}

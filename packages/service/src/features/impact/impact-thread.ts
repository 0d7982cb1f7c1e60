/**
 * Starts the thread of one impact run. INVARIANT: it lowers its priority before it loads anything, because loading costs
 * as much as replaying thousands of decisions, and checks would wait for it (`npm run bench -- impact`).
 */
import { giveWay } from '@writecheck/store/threads/give-way';

/** Checks go first, and so does the thread that indexes them. */
const NICENESS = 19;

giveWay(NICENESS);
await import('./replay-thread.ts');

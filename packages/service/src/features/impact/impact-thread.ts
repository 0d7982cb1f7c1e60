/**
 * Starts the thread of one impact run. INVARIANT: it lowers its priority before it loads anything, because loading costs
 * as much as replaying thousands of decisions, and checks would wait for it (`npm run bench -- impact`).
 */
import { lowerPriority } from '@writecheck/store/threads/low-priority';

/** Checks go first, and so does the thread that indexes them. */
const NICENESS = 19;

lowerPriority(NICENESS);
await import('./replay-thread.ts');

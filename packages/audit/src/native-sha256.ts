/** SHA-256 for the verification of logs. */
import { hash } from 'node:crypto';
import type { Sha256 } from '@writecheck/ledger';

/** The hash of this runtime; `npm run measure -w packages/ledger` shows how much faster it is than the portable one. */
export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');

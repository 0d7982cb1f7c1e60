/** The shared parts of every command that asks a running service. */
export { withoutSlashAtEnd } from './base-url.ts';
export { clientFor } from './client-for.ts';
export {
  exitCodeOf,
  explainDecision,
  NO_DECISION_EXIT_CODE,
  type Paint,
  painterFor,
} from './explain-decision.ts';

/** Every operation on the tables by name: what both stores can do, each in its own way. */
import * as impact from './impact.ts';
import * as keys from './keys.ts';
import type { Append, Read, Write } from './operation.ts';

type Arguments = readonly never[];

/** On a connection that cannot write, outside of any transaction. */
export const READS = {
  findWorkspace: keys.findWorkspace,
  listWorkspaces: keys.listWorkspaces,
  findKey: keys.findKey,
  listKeys: keys.listKeys,
  findRun: impact.findRun,
  listRuns: impact.listRuns,
  findAssessment: impact.findAssessment,
} as const satisfies { readonly [name: string]: (...args: Arguments) => Read<unknown> };

/** Each is one transaction. */
export const WRITES = {
  createWorkspace: keys.createWorkspace,
  grantLive: keys.grantLive,
  createKey: keys.createKey,
  revokeKey: keys.revokeKey,
  rotateKey: keys.rotateKey,
  touchKeys: keys.touchKeys,
  startRun: impact.startRun,
  keepRun: impact.keepRun,
  endRun: impact.endRun,
  /** Removes a batch of what is over; returns how much. */
  sweepTables: impact.forgetRuns,
} as const satisfies { readonly [name: string]: (...args: Arguments) => Write<unknown> };

/** Each is one transaction that may append to the log; on PostgreSQL it takes its turn among the commits. */
export const APPENDING = {
  finishRun: impact.finishRun,
} as const satisfies {
  readonly [name: string]: (...args: Arguments) => Append<unknown>;
};

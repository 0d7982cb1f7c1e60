/** Defines a scenario, and the pieces that several scenarios share. */
import type { Attack } from './hostile-server.ts';

export interface Scenario {
  readonly name: string;
  /** Whether the write must run exactly once, or not at all. */
  readonly expect: 'executed' | 'stopped';
  /** The name that the wrapper must give the reason, if it gives one. */
  readonly says?: 'taken' | 'frozen' | 'limit';
  /** If omitted, nothing listens: the connection is refused. */
  readonly misbehave?: (attack: Attack) => void | Promise<void>;
}

export function executed(name: string, misbehave: Scenario['misbehave'] & {}): Scenario {
  return { name, expect: 'executed', misbehave };
}

export function stopped(
  name: string,
  misbehave: Scenario['misbehave'] & {},
  says?: Scenario['says'] & {},
): Scenario {
  return { name, expect: 'stopped', misbehave, ...(says === undefined ? {} : { says }) };
}

/** The times of a decision, relative to now. */
export function lifetime(madeInMs: number, endsInMs: number) {
  const now = Date.now();
  return {
    timestamp: new Date(now + madeInMs).toISOString(),
    validUntil: new Date(now + endsInMs).toISOString(),
  };
}

export async function drip(
  { socket }: Attack,
  bytes: Uint8Array,
  size: number,
  everyMs: number,
): Promise<void> {
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await pause(everyMs);
  }
  socket.end();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

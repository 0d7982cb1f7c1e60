/** Reads `--operations`, a YAML mapping of operations to the members of an intent that name object and value. */
import { visible } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { asciiLower } from '@writecheck/engine';
import type { RecordedIntent } from '@writecheck/ledger';
import { readMapping } from './read-mapping.ts';

interface OperationMembers {
  readonly objectRef: string;
  /** Null if the object alone identifies the change. */
  readonly value: string | null;
}

/** Operations by their names in lower case. */
export type Operations = ReadonlyMap<string, OperationMembers>;

export async function readOperations(file: string | undefined): Promise<Operations> {
  if (file === undefined) return new Map();
  const given = await readMapping(file, 'refund.create: {objectRef: metadata.context.order}');
  return new Map(
    Object.entries(given).map(([operation, members]) => [
      asciiLower(operation),
      membersOf(operation, members),
    ]),
  );
}

function membersOf(operation: string, given: unknown): OperationMembers {
  const { objectRef, value, ...more } = (given ?? {}) as Record<string, unknown>;
  const isRight =
    typeof objectRef === 'string' &&
    (value === undefined || typeof value === 'string') &&
    Object.keys(more).length === 0;
  if (isRight) return { objectRef, value: value ?? null };
  throw new CommandFailure(
    `--operations: \`${visible(operation)}\` must be {objectRef: MEMBER, value: MEMBER}, where a member of the ` +
      'intent is named such as `metadata.context.amount`; `value` may be left out',
  );
}

export interface OperationWrite {
  readonly objectRef: string;
  readonly value: string;
}

/** Null if the operation is not mapped, or the intent lacks a member that the mapping names. */
export function operationWrite(intent: RecordedIntent, operations: Operations): OperationWrite | null {
  const members = operations.get(asciiLower(intent.operation ?? ''));
  if (members === undefined) return null;
  const objectRef = textAt(intent, members.objectRef);
  const value = members.value === null ? '' : textAt(intent, members.value);
  return objectRef === null || value === null ? null : { objectRef, value };
}

/** A number or boolean counts as its JSON text. */
function textAt(intent: RecordedIntent, path: string): string | null {
  let value: unknown = intent;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : null;
}

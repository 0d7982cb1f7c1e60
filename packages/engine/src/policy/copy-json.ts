/** Makes a frozen copy of presumed JSON, so that nobody can change a document after it was checked. */
import type { JsonValue } from '@writecheck/contract';
import { exactPointerTo, quoted } from './faults.ts';

const DOCUMENT_DEPTH_MAX = 32;

/** Shared by all documents of a bundle: aliases in YAML make small text expand into large values. */
export interface SizeBudget {
  left: number;
}

type CopyFault = { readonly pointer: string; readonly message: string };

/** Returns undefined if the value is not JSON or the budget is used up; `faults` then says why. */
export function copyJson(
  value: unknown,
  budget: SizeBudget,
  faults: CopyFault[],
  pointer = '',
  depth = 0,
): JsonValue | undefined {
  budget.left -= typeof value === 'string' ? value.length + 2 : 1;
  if (budget.left < 0) return undefined;
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      if (value.isWellFormed()) return value;
      faults.push({ pointer, message: 'text must not contain lone surrogates' });
      return undefined;
    case 'number':
      if (Number.isFinite(value)) return value;
      faults.push({ pointer, message: `numbers must be finite, found \`${value}\`` });
      return undefined;
    case 'object':
      break;
    default:
      faults.push({ pointer, message: `must be a JSON value, found ${typeof value}` });
      return undefined;
  }
  if (value === null) return null;
  if (depth === DOCUMENT_DEPTH_MAX) {
    faults.push({ pointer, message: `must not be nested deeper than ${DOCUMENT_DEPTH_MAX}` });
    return undefined;
  }
  return Array.isArray(value)
    ? copyArray(value, budget, faults, pointer, depth)
    : copyObject(value, budget, faults, pointer, depth);
}

function copyArray(
  value: readonly unknown[],
  budget: SizeBudget,
  faults: CopyFault[],
  pointer: string,
  depth: number,
): JsonValue | undefined {
  const copy: JsonValue[] = [];
  for (let index = 0; index < value.length && budget.left >= 0; index += 1) {
    const element = copyJson(value[index], budget, faults, exactPointerTo(pointer, index), depth + 1);
    if (element !== undefined) copy.push(element);
  }
  return copy.length === value.length ? Object.freeze(copy) : undefined;
}

function copyObject(
  value: object,
  budget: SizeBudget,
  faults: CopyFault[],
  pointer: string,
  depth: number,
): JsonValue | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    faults.push({ pointer, message: 'must be a JSON value, found an object of another class' });
    return undefined;
  }
  const copy: Record<string, JsonValue> = {};
  let whole = true;
  for (const [name, member] of Object.entries(value)) {
    budget.left -= name.length + 3;
    if (budget.left < 0) return undefined;
    if (name === '__proto__' || !name.isWellFormed()) {
      faults.push({ pointer, message: `${quoted(name.toWellFormed())} cannot be the name of a member` });
      whole = false;
      continue;
    }
    const copied = copyJson(member, budget, faults, exactPointerTo(pointer, name), depth + 1);
    if (copied === undefined) whole = false;
    else copy[name] = copied;
  }
  return whole ? Object.freeze(copy) : undefined;
}

/** Checks a value parsed elsewhere (YAML, a browser) against the rules of strict parsing. */
import { pointerTo } from './json-pointer.ts';
import { DEPTH_MAX } from './limits.ts';
import type { Fault } from './parse-findings.ts';

/** The first part of a value that strict JSON cannot express, or null. An `undefined` member counts as absent. */
export function findValueFault(value: unknown, maxDepth = DEPTH_MAX): Fault | null {
  // Where the search stands; most values have no fault, so nobody writes a pointer for them.
  const path: (string | number)[] = [];
  const message = find(value, path, maxDepth);
  return message === null ? null : { pointer: path.reduce<string>(pointerTo, ''), message };
}

function find(value: unknown, path: (string | number)[], depthLeft: number): string | null {
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'string':
      return value.isWellFormed() ? null : 'the string contains a lone surrogate';
    case 'number':
      return Number.isFinite(value) ? null : 'the number is not finite';
    case 'object':
      return value === null ? null : findInContainer(value, path, depthLeft);
    default:
      return `a ${typeof value} is not a JSON value`;
  }
}

function findInContainer(container: object, path: (string | number)[], depthLeft: number): string | null {
  if (depthLeft === 0) return 'the value is nested too deeply';
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index += 1) {
      path.push(index);
      const message = find(container[index], path, depthLeft - 1);
      if (message !== null) return message;
      path.pop();
    }
    return null;
  }
  const prototype: unknown = Object.getPrototypeOf(container);
  if (prototype !== Object.prototype && prototype !== null)
    return 'only plain objects and arrays are JSON values';
  for (const [name, member] of Object.entries(container)) {
    if (name === '__proto__') return 'a member must not be named `__proto__`';
    if (!name.isWellFormed()) return 'a member name contains a lone surrogate';
    if (member === undefined) continue;
    path.push(name);
    const message = find(member, path, depthLeft - 1);
    if (message !== null) return message;
    path.pop();
  }
  return null;
}

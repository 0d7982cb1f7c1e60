/** Holds a value that was parsed elsewhere (YAML, a browser) to what strict parsing of its bytes would have let through. */
import { pointerTo } from './json-pointer.ts';
import { DEPTH_MAX } from './limits.ts';
import type { Fault } from './parse-findings.ts';

/** The first thing in a value that strict JSON cannot say, or null. `undefined` in a member is the same as leaving it out. */
export function findValueFault(value: unknown, maxDepth = DEPTH_MAX): Fault | null {
  return find(value, '', maxDepth);
}

function find(value: unknown, pointer: string, depthLeft: number): Fault | null {
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'string':
      return value.isWellFormed() ? null : { pointer, message: 'the string holds a lone surrogate' };
    case 'number':
      return Number.isFinite(value) ? null : { pointer, message: 'the number is not finite' };
    case 'object':
      return value === null ? null : findInContainer(value, pointer, depthLeft);
    default:
      return { pointer, message: `a ${typeof value} is not a JSON value` };
  }
}

function findInContainer(container: object, pointer: string, depthLeft: number): Fault | null {
  if (depthLeft === 0) return { pointer, message: 'the value is nested too deep' };
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index += 1) {
      const fault = find(container[index], pointerTo(pointer, index), depthLeft - 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  const prototype: unknown = Object.getPrototypeOf(container);
  if (prototype !== Object.prototype && prototype !== null) {
    return { pointer, message: 'only plain objects and arrays are JSON values' };
  }
  for (const [name, member] of Object.entries(container)) {
    const place = pointerTo(pointer, name);
    if (name === '__proto__') return { pointer, message: 'a member must not be named `__proto__`' };
    if (!name.isWellFormed()) return { pointer, message: 'a member name holds a lone surrogate' };
    const fault = member === undefined ? null : find(member, place, depthLeft - 1);
    if (fault !== null) return fault;
  }
  return null;
}

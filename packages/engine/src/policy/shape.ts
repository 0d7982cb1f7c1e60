/** Shapes of policy documents as data: the validator and the published JSON Schemas both come from them. */
import type { JsonObject, JsonValue } from '@writecheck/contract';
import { didYouMean, exactPointerTo, quoted } from './faults.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

export interface TextShape {
  readonly kind: 'text';
  /** What the text is, as worded in a message: `a duration such as ...`. */
  readonly what: string;
  readonly pattern: RegExp;
  /** The maximum in code points. */
  readonly maxLength: number;
  /** What to do if it is longer. */
  readonly ifLonger?: string;
  readonly description?: string;
  /** Checks what a pattern cannot express: returns the error, or null. */
  readonly refuse?: (text: string) => string | null;
}

export interface WordShape {
  readonly kind: 'word';
  readonly words: readonly string[];
  readonly description?: string;
}

/** A whole number. */
export interface CountShape {
  readonly kind: 'count';
  readonly min: number;
  readonly max: number;
  readonly description?: string;
}

/** A number that need not be whole. */
export interface AmountShape {
  readonly kind: 'amount';
  readonly description?: string;
  /** The error, or null. */
  readonly refuse: (value: number) => string | null;
}

export interface FlagShape {
  readonly kind: 'flag';
  /** Whether false is refused, because it would mean the same as omitting the member. */
  readonly onlyTrue?: true;
  readonly description?: string;
}

export interface ListShape {
  readonly kind: 'list';
  readonly what: string;
  readonly of: Shape;
  readonly min: number;
  readonly max: number;
  /** What to write instead of an empty list. */
  readonly ifEmpty?: string;
  /** What to do if it is longer. */
  readonly ifLonger?: string;
  readonly description?: string;
}

export interface TableShape {
  readonly kind: 'table';
  readonly what: string;
  readonly names: TextShape;
  readonly of: Shape;
  readonly description?: string;
}

/** A rule between members of one object; checked only if the members themselves are valid. */
export interface Rule {
  readonly at: string;
  readonly message: string;
  readonly holds: (value: JsonObject) => boolean;
  readonly schema: JsonSchema;
}

export interface ObjectShape {
  readonly kind: 'object';
  readonly what: string;
  readonly members: { readonly [name: string]: Shape };
  readonly required: readonly string[];
  readonly rules?: readonly Rule[];
  readonly description?: string;
}

/** One of several shapes, distinguished by JSON type. */
export interface EitherShape {
  readonly kind: 'either';
  readonly what: string;
  readonly options: readonly Shape[];
  readonly description?: string;
}

/** Any object: other code judges its content. */
export interface OpenShape {
  readonly kind: 'open';
  readonly what: string;
  readonly description?: string;
}

export type Shape =
  | TextShape
  | WordShape
  | CountShape
  | AmountShape
  | FlagShape
  | ListShape
  | TableShape
  | ObjectShape
  | EitherShape
  | OpenShape;

export type ReportFault = (pointer: string, message: string) => void;

/** Reports every error in the value; none means that it has the shape. */
export function checkShape(shape: Shape, value: JsonValue, pointer: string, report: ReportFault): void {
  if (jsonTypeOf(value) !== jsonTypeFor(shape) && shape.kind !== 'either') {
    report(pointer, `must be ${whatOf(shape)}, found ${found(value)}`);
    return;
  }
  switch (shape.kind) {
    case 'text':
      checkText(shape, value as string, pointer, report);
      return;
    case 'word':
      if (!shape.words.includes(value as string)) {
        report(pointer, `must be ${whatOf(shape)}, found ${quoted(value as string)}`);
      }
      return;
    case 'count': {
      const isWithin = (value as number) >= shape.min && (value as number) <= shape.max;
      if (!Number.isInteger(value) || !isWithin)
        report(pointer, `must be ${whatOf(shape)}, found ${found(value)}`);
      return;
    }
    case 'amount': {
      const fault = shape.refuse(value as number);
      if (fault !== null) report(pointer, fault);
      return;
    }
    case 'flag':
      if (shape.onlyTrue === true && value !== true)
        report(pointer, `must be ${whatOf(shape)}, found ${found(value)}`);
      return;
    case 'open':
      return;
    case 'list':
      checkList(shape, value as readonly JsonValue[], pointer, report);
      return;
    case 'table':
      for (const [name, member] of Object.entries(value as JsonObject)) {
        checkText(shape.names, name, exactPointerTo(pointer, name), report);
        checkShape(shape.of, member, exactPointerTo(pointer, name), report);
      }
      return;
    case 'object':
      checkObject(shape, value as JsonObject, pointer, report);
      return;
    case 'either': {
      const option = shape.options.find((one) => jsonTypeFor(one) === jsonTypeOf(value));
      if (option === undefined) report(pointer, `must be ${shape.what}, found ${found(value)}`);
      else checkShape(option, value, pointer, report);
      return;
    }
  }
}

function hintOf(hint: string | undefined): string {
  return hint === undefined ? '' : `; ${hint}`;
}

/** Counts code points. A code point is at most two code units, so a much longer text is not counted. */
export function isLonger(text: string, max: number): boolean {
  return text.length > 2 * max || [...text].length > max;
}

function checkText(shape: TextShape, text: string, pointer: string, report: ReportFault): void {
  if (isLonger(text, shape.maxLength))
    report(pointer, `must be at most ${shape.maxLength} characters${hintOf(shape.ifLonger)}`);
  else if (!shape.pattern.test(text)) report(pointer, `must be ${shape.what}, found ${quoted(text)}`);
  else {
    const fault = shape.refuse?.(text) ?? null;
    if (fault !== null) report(pointer, fault);
  }
}

function checkList(shape: ListShape, list: readonly JsonValue[], pointer: string, report: ReportFault): void {
  if (list.length < shape.min)
    report(pointer, `must have at least ${shape.min} of its elements${hintOf(shape.ifEmpty)}`);
  if (list.length > shape.max) {
    const message = `must have at most ${shape.max} elements, found ${list.length}`;
    report(pointer, message + hintOf(shape.ifLonger));
    return;
  }
  list.forEach((element, index) => {
    checkShape(shape.of, element, exactPointerTo(pointer, index), report);
  });
}

function checkObject(shape: ObjectShape, value: JsonObject, pointer: string, report: ReportFault): void {
  let sound = true;
  const reportHere: ReportFault = (at, message) => {
    sound = false;
    report(at, message);
  };
  for (const name of shape.required) {
    if (!Object.hasOwn(value, name)) reportHere(pointer, `needs ${quoted(name)}`);
  }
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(shape.members, name)) {
      checkShape(shape.members[name]!, member, exactPointerTo(pointer, name), reportHere);
    } else {
      const message = `${shape.what} has no member ${quoted(name)}`;
      reportHere(exactPointerTo(pointer, name), message + didYouMean(name, Object.keys(shape.members)));
    }
  }
  if (!sound) return;
  for (const rule of shape.rules ?? []) {
    if (!rule.holds(value)) report(pointer + rule.at, rule.message);
  }
}

export function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && jsonTypeOf(value) === 'object';
}

function jsonTypeFor(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
    case 'word':
      return 'string';
    case 'count':
    case 'amount':
      return 'number';
    case 'flag':
      return 'boolean';
    case 'list':
      return 'array';
    case 'table':
    case 'object':
    case 'open':
      return 'object';
    case 'either':
      return 'any';
  }
}

function whatOf(shape: Shape): string {
  switch (shape.kind) {
    case 'word':
      return shape.words.map(quoted).join(' or ');
    case 'count':
      return `a whole number from ${shape.min} to ${shape.max}`;
    case 'amount':
      return 'a number';
    case 'flag':
      return shape.onlyTrue === true ? '`true`, or omitted' : '`true` or `false`';
    default:
      return shape.what;
  }
}

function found(value: JsonValue): string {
  if (typeof value === 'string') return quoted(value);
  return value === null || typeof value === 'object' ? jsonTypeOf(value) : `\`${value}\``;
}

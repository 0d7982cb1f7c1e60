/** Fills the templates of a mapping from the arguments of one call; throws if an argument is missing. */
import type { JsonObject, JsonValue, ReviewRequest, WriteIntent } from '@writecheck/client';
import { canonicalJson, isObject } from '@writecheck/contract';
import { InvalidArguments } from '../invalid-arguments.ts';
import { withArguments } from '../name-write.ts';
import { argumentsDigest, digestOfText } from './arguments-digest.ts';
import { TEMPLATE, type ToolMapping } from './read-mapping.ts';

const DIGEST_OF = /^sha256\((.+)\)$/;
const ONLY_A_TEMPLATE = /^\{\{\s*([^{}\s]+)\s*\}\}$/;

export function renderIntent(tool: string, { intent }: ToolMapping, args: unknown): WriteIntent {
  const { metadata = {}, ...members } = intent;
  const rendered = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, renderText(value, args)]),
  );
  const filled = renderValue(metadata as JsonValue, args) as JsonObject;
  // INVARIANT: the digest covers every argument, even those that no template names, so an allow serves only this
  // call.
  const context = { ...(filled.context as JsonObject), tool, argumentsDigest: argumentsDigest(args) };
  // Done before evidence is gathered, so that a signing source sees the intent that will be sent.
  return withArguments({ ...rendered, metadata: { ...filled, context } } as unknown as WriteIntent, args)
    .intent;
}

/** Who asks and why, for the reviewers. */
export function renderReview({ review }: ToolMapping, args: unknown): ReviewRequest {
  return Object.fromEntries(Object.entries(review).map(([name, text]) => [name, renderText(text, args)]));
}

/** Members of an intent are text: a number or an object becomes its JSON. */
function renderText(value: unknown, args: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(TEMPLATE, (_, path: string) => asText(fill(args, path)));
}

/** Keeps the type of a `metadata` value that is only a template, so that conditions can compare numbers. */
function renderValue(value: JsonValue, args: unknown): JsonValue {
  if (typeof value === 'string') {
    const only = ONLY_A_TEMPLATE.exec(value)?.[1];
    return only === undefined ? (renderText(value, args) as string) : fill(args, only);
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => renderValue(item, args));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, renderValue(item as JsonValue, args)]),
  );
}

/** An argument, or with `sha256(path)` the digest of its text: for a value that is too long for an intent. */
function fill(args: unknown, template: string): JsonValue {
  const digested = DIGEST_OF.exec(template)?.[1];
  return digested === undefined ? lookUp(args, template) : digestOfText(asText(lookUp(args, digested)));
}

function lookUp(args: unknown, path: string): JsonValue {
  let value: unknown = args;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) value = undefined;
    else value = (value as Record<string, unknown>)[step];
  }
  if (value === undefined || value === null) throw new InvalidArguments(`the arguments have no \`${path}\``);
  return value as JsonValue;
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

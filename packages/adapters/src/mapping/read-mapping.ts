/** Reads the file that maps tools to writes, and reports all errors together, each with its place. */
import { isObject } from '@writecheck/contract';

export interface Mapping {
  readonly read: readonly string[];
  readonly write: Readonly<Record<string, ToolMapping>>;
}

export interface ToolMapping {
  /** An intent in which strings may contain `{{path}}` into the arguments. */
  readonly intent: Readonly<Record<string, unknown>>;
  readonly evidence: readonly EvidenceSource[];
  /** Who asks and why, for the reviewers. May contain templates, like the intent. */
  readonly review: Readonly<Record<string, string>>;
}

/** The source of evidence. Never the arguments: an agent's own claim proves nothing. */
export type EvidenceSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly argv: readonly string[]; readonly timeoutMs: number }
  | {
      readonly kind: 'url';
      readonly url: string;
      /** Text, or `env:NAME`, which is looked up at each call. */
      readonly token?: string;
      readonly timeoutMs: number;
    };

export type MappingResult =
  | { readonly kind: 'mapping'; readonly mapping: Mapping }
  | { readonly kind: 'invalid'; readonly faults: readonly string[] };

const TEMPLATED = [
  'system',
  'objectType',
  'objectRef',
  'field',
  'agentValue',
  'operation',
  'runId',
  'metadata',
];
/** The place of an argument in a text: names joined by dots. */
export const TEMPLATE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

const REVIEW = ['onBehalfOf', 'justification', 'externalRef'];
const LITERAL = ['workflowId', 'requiredControls'];
const FROM_EVIDENCE = ['controlEvidence', 'authorityFound', 'authorityValue', 'authoritySource'];
const DEFAULT_TIMEOUT_MS = 5_000;
const TIMEOUT_MS_MAX = 30_000;

export function readMapping(value: unknown): MappingResult {
  const faults: string[] = [];
  const write: Record<string, ToolMapping> = {};
  if (!isObject(value))
    return { kind: 'invalid', faults: ['a mapping is an object with `read` and `write`'] };
  onlyMembers(value, ['read', 'write'], '', faults);
  const { read = [], write: tools = {} } = value;
  if (!isStrings(read)) faults.push('/read: must be a list of tool names');
  if (!isObject(tools)) faults.push('/write: must be an object of tools by name');
  else {
    for (const [tool, entry] of Object.entries(tools)) {
      const at = `/write/${tool}`;
      if (isStrings(read) && read.includes(tool))
        faults.push(`${at}: is also listed under \`read\`; choose one`);
      const mapped = readTool(entry, at, faults);
      Object.defineProperty(write, tool, { value: mapped, enumerable: true });
    }
  }
  if (faults.length > 0) return { kind: 'invalid', faults };
  return { kind: 'mapping', mapping: { read: read as readonly string[], write } };
}

function readTool(entry: unknown, at: string, faults: string[]): ToolMapping {
  if (!isObject(entry) || !isObject(entry.intent)) {
    faults.push(`${at}: must be an object with an \`intent\``);
    return { intent: {}, evidence: [], review: {} };
  }
  onlyMembers(entry, ['intent', 'evidence', 'review'], at, faults);
  readIntent(entry.intent, `${at}/intent`, faults);
  const { evidence = [] } = entry;
  if (!Array.isArray(evidence)) faults.push(`${at}/evidence: must be a list`);
  const sources = (Array.isArray(evidence) ? evidence : []).map((source, index) =>
    readSource(source, `${at}/evidence/${index}`, faults),
  );
  return {
    intent: entry.intent,
    evidence: sources,
    review: readReview(entry.review, `${at}/review`, faults),
  };
}

function readReview(review: unknown, at: string, faults: string[]): Readonly<Record<string, string>> {
  if (review === undefined) return {};
  if (!isObject(review)) {
    faults.push(`${at}: must be an object with ${REVIEW.join(', ')}`);
    return {};
  }
  onlyMembers(review, REVIEW, at, faults);
  for (const [member, text] of Object.entries(review)) {
    const place = `${at}/${member}`;
    if (typeof text !== 'string' || text === '') faults.push(`${place}: must be text`);
    else if (hasBrokenTemplate(text)) faults.push(`${place}: ${HOW_TO_WRITE_TEMPLATES}`);
    else if (member === 'externalRef' && !/^(?:https?:\/\/|\{\{)/.test(text))
      faults.push(`${place}: must be an http or https address`);
  }
  return review as Readonly<Record<string, string>>;
}

const HOW_TO_WRITE_TEMPLATES = 'a template is written `{{name}}`, or `{{name.of.member}}`';

function hasBrokenTemplate(value: unknown): boolean {
  return JSON.stringify(value)?.replace(TEMPLATE, '').includes('{{') === true;
}

function readIntent(intent: Readonly<Record<string, unknown>>, at: string, faults: string[]): void {
  for (const [member, value] of Object.entries(intent)) {
    const place = `${at}/${member}`;
    if (FROM_EVIDENCE.includes(member))
      faults.push(`${place}: comes from an \`evidence\` source, not from here`);
    else if (LITERAL.includes(member)) {
      if (JSON.stringify(value)?.includes('{{'))
        faults.push(`${place}: the agent must not choose it; write a fixed value`);
    } else if (!TEMPLATED.includes(member)) faults.push(`${place}: is not a member of an intent`);
    else if (hasBrokenTemplate(value)) faults.push(`${place}: ${HOW_TO_WRITE_TEMPLATES}`);
  }
  if (typeof intent.system !== 'string') faults.push(`${at}/system: is missing`);
  const { metadata = {} } = intent;
  const context = isObject(metadata) ? (metadata.context ?? {}) : undefined;
  if (!isObject(context)) faults.push(`${at}/metadata: must be an object, and so must its \`context\``);
  else {
    for (const own of ['tool', 'arguments', 'argumentsDigest']) {
      if (own in context) faults.push(`${at}/metadata/context/${own}: is filled in by the guard`);
    }
  }
}

function readSource(source: unknown, at: string, faults: string[]): EvidenceSource {
  if (isObject(source) && typeof source.file === 'string') {
    onlyMembers(source, ['file'], at, faults);
    return { kind: 'file', path: source.file };
  }
  if (isObject(source) && isStrings(source.command) && source.command.length > 0) {
    onlyMembers(source, ['command', 'timeoutMs'], at, faults);
    return { kind: 'command', argv: source.command, timeoutMs: readTimeout(source.timeoutMs, at, faults) };
  }
  if (isObject(source) && typeof source.url === 'string') {
    onlyMembers(source, ['url', 'token', 'timeoutMs'], at, faults);
    const { url, token } = source;
    const { protocol, username, hash } = URL.canParse(url) ? new URL(url) : new URL('none:');
    if (!/^https?:$/.test(protocol) || username !== '' || hash !== '')
      faults.push(`${at}/url: must be an http or https address without credentials or a fragment`);
    if (token !== undefined && (typeof token !== 'string' || !/^[!-~]+$/.test(token)))
      faults.push(`${at}/token: must be visible ASCII without spaces, or env:NAME`);
    const timeoutMs = readTimeout(source.timeoutMs, at, faults);
    return { kind: 'url', url, timeoutMs, ...(typeof token === 'string' ? { token } : {}) };
  }
  faults.push(`${at}: must have a \`file\` (a path), a \`command\` (a list of words) or a \`url\``);
  return { kind: 'file', path: '' };
}

function readTimeout(timeoutMs: unknown = DEFAULT_TIMEOUT_MS, at: string, faults: string[]): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= TIMEOUT_MS_MAX) return timeoutMs;
  faults.push(`${at}/timeoutMs: must be a number above 0 and at most ${TIMEOUT_MS_MAX}`);
  return DEFAULT_TIMEOUT_MS;
}

function onlyMembers(value: object, known: readonly string[], at: string, faults: string[]): void {
  for (const member of Object.keys(value)) {
    if (!known.includes(member)) faults.push(`${at}/${member}: is unknown; use one of ${known.join(', ')}`);
  }
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

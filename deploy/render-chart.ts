/**
 * Renders the chart for tests without helm. Supports only the constructs our templates use and fails on others. It does
 * not prove that helm renders them the same way.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

export type Values = { readonly [name: string]: unknown };

interface Scope {
  readonly Values: Values;
  readonly Chart: { readonly AppVersion: string };
  readonly Release: { readonly Name: string; readonly Namespace: string; readonly Service: string };
  readonly Files: { readonly Get: (name: string) => string };
}

/** The documents of all templates, by file. */
export function renderChart(folder: string, values: Values, release = 'checks'): Map<string, Values> {
  const chart = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8'));
  const scope: Scope = {
    Values: values,
    Chart: { AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'default', Service: 'Helm' },
    Files: { Get: (name) => readFileSync(join(folder, name), 'utf8') },
  };
  const helpers = readFileSync(join(folder, 'templates/_helpers.tpl'), 'utf8');
  const parts = new Map([...helpers.matchAll(DEFINITION)].map(([, name, body]) => [name!, body!]));
  const rendered = new Map<string, Values>();
  for (const name of readdirSync(join(folder, 'templates')).sort()) {
    if (name.endsWith('.tpl')) continue;
    const text = renderTemplate(readFileSync(join(folder, 'templates', name), 'utf8'), scope, parts);
    if (!name.endsWith('.yaml')) continue;
    // Kubernetes reads YAML 1.1, where 0440 is octal.
    if (text.trim() !== '') rendered.set(name, parse(text, { version: '1.1' }));
  }
  return rendered;
}

/** A part ends where the next one begins, or with the file; text between parts is a comment. */
const DEFINITION = /\{\{- define "([^"]+)" -\}\}\s*(.*?)\s*\{\{- end \}\}\n(?=\n|$)/gs;
type Parts = ReadonlyMap<string, string>;

/** `scope` is what a dot stands for. */
export function renderTemplate(template: string, scope: unknown, parts: Parts = new Map()): string {
  // A dash trims adjacent white space, including line breaks.
  const pieces = template
    .replace(/\s*\{\{-/g, '{{')
    .replace(/-\}\}\s*/g, '}}')
    .split(/\{\{(.*?)\}\}/s);
  let text = '';
  const branches: { isTaken: boolean; wasTaken: boolean }[] = [];
  pieces.forEach((part, index) => {
    const isShown = branches.every(({ isTaken }) => isTaken);
    if (index % 2 === 0) {
      if (isShown) text += part;
      return;
    }
    const action = part.trim();
    if (action.startsWith('if ')) {
      const isTaken = isShown && isTruthy(evaluate(action.slice(3), scope, parts));
      branches.push({ isTaken, wasTaken: isTaken });
    } else if (action === 'else') {
      const branch = branches.at(-1)!;
      branch.isTaken = !branch.wasTaken;
    } else if (action === 'end') {
      if (branches.pop() === undefined) throw new Error('an `end` without an `if`');
    } else if (isShown) text += String(evaluate(action, scope, parts));
  });
  if (branches.length > 0) throw new Error('an `if` without an `end`');
  return text;
}

function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** A pipeline: each call gets the previous result as its last argument. */
function evaluate(pipeline: string, scope: unknown, parts: Parts): unknown {
  const tokens = pipeline.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? [];
  let at = 0;
  const term = (): unknown => {
    const token = tokens[at++]!;
    if (token === '(') {
      const value = pipe();
      if (tokens[at++] !== ')') throw new Error(`unclosed bracket in \`${pipeline}\``);
      return value;
    }
    if (/^[0-9]+$/.test(token) || token.startsWith('"')) return JSON.parse(token);
    if (token.startsWith('.')) return member(token, scope);
    throw new Error(`this renderer does not know \`${token}\` in \`${pipeline}\``);
  };
  const include = (name: unknown, inner: unknown): string => {
    const part = parts.get(String(name));
    if (part === undefined) throw new Error(`no part is called \`${name}\``);
    return renderTemplate(part, inner, parts);
  };
  const fileOf = (file: unknown): string => (scope as Scope).Files.Get(String(file));
  const call = (...piped: readonly unknown[]): unknown => {
    const name = tokens[at]!;
    const called = name === 'include' ? include : name === '.Files.Get' ? fileOf : FUNCTIONS[name];
    if (called === undefined) return term();
    at += 1;
    const args: unknown[] = [];
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') args.push(term());
    return called(...args, ...piped);
  };
  const pipe = (): unknown => {
    let value = call();
    while (tokens[at] === '|') {
      at += 1;
      value = call(value);
    }
    return value;
  };
  const value = pipe();
  if (at !== tokens.length) throw new Error(`unexpected text at the end of \`${pipeline}\``);
  return value;
}

function member(path: string, scope: unknown): unknown {
  let value: unknown = scope;
  for (const name of path
    .slice(1)
    .split('.')
    .filter((each) => each !== '')) {
    if (typeof value !== 'object' || value === null || !(name in value))
      throw new Error(`\`${path}\` does not exist`);
    value = (value as Values)[name];
  }
  return value;
}

const FUNCTIONS: { readonly [name: string]: (...args: unknown[]) => unknown } = {
  quote: (value) => JSON.stringify(String(value)),
  toJson: (value) => JSON.stringify(value),
  toYaml: (value) => stringify(value).trimEnd(),
  nindent: (spaces, text) => `\n${String(text).replaceAll(/^/gm, ' '.repeat(Number(spaces)))}`,
  printf: (form, ...args) => String(form).replace(/%s/g, () => String(args.shift())),
  toString: (value: unknown) => String(value),
  not: (value) => !isTruthy(value),
  // Helm finds nothing either if there is no cluster.
  lookup: () => ({}),
  get: (from, name) => (from as Values)[String(name)] ?? '',
  sha256sum: (text) => hash('sha256', String(text)),
  len: (value) => String(value).length,
  gt: (left, right) => Number(left) > Number(right),
  fail: (message) => {
    throw new Error(String(message));
  },
  default: (fallback, value) => (isTruthy(value) ? value : fallback),
  required: (message, value) => {
    if (!isTruthy(value)) throw new Error(String(message));
    return value;
  },
};

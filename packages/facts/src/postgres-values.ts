/** Converts PostgreSQL's values to JSON, by the type of the column. */
import { type JsonValue, parseStrictJson } from '@writecheck/contract';
import { exactDecimal, exactWhole } from './exact-number.ts';
import { FactsUnavailable } from './failures.ts';

type Reader = (text: string) => JsonValue | undefined;

/** Readers by the number of the type, which PostgreSQL never changes. */
const READERS: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  [16, (text) => text === 't'],
  // int2, int4, int8
  [21, exactWhole],
  [23, exactWhole],
  [20, exactWhole],
  // float4, float8, numeric
  [700, exactDecimal],
  [701, exactDecimal],
  [1700, exactDecimal],
  // text, varchar, char(n), name, "char", uuid
  [25, asText],
  [1043, asText],
  [1042, asText],
  [19, asText],
  [18, asText],
  [2950, asText],
  // json, jsonb
  [114, asJson],
  [3802, asJson],
  [1082, asDate],
  [1184, asInstant],
]);

export function postgresValue(column: string, type: number, text: string): JsonValue {
  const read = READERS.get(type);
  if (read === undefined) {
    throw new FactsUnavailable(
      `the type of the column \`${column}\` has no JSON form; cast it to text, or a timestamp to timestamptz`,
    );
  }
  const value = read(text);
  if (value === undefined)
    throw new FactsUnavailable(`the column \`${column}\` has a value that JSON cannot hold exactly`);
  return value;
}

function asText(text: string): string {
  return text;
}

/** A `json` column keeps its text, and so its duplicate names. */
function asJson(text: string): JsonValue | undefined {
  const parsed = parseStrictJson(Buffer.from(text));
  return parsed.kind === 'json' ? parsed.value : undefined;
}

function asDate(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
}

/** The session is in UTC. Infinity and years beyond 9999 are not RFC 3339. */
function asInstant(text: string): string | undefined {
  const [matched, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00$/.exec(text) ?? [];
  return matched === undefined ? undefined : `${date}T${time}Z`;
}

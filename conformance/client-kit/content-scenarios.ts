/** Responses that arrive whole: honest ones, and those with wrong content. */
import { gzipSync } from 'node:zlib';
import { answerText, answerWith, httpAnswer } from './answers.ts';
import { drip, executed, lifetime, type Scenario, stopped } from './scenario.ts';

export const honest: readonly Scenario[] = [
  executed('a valid allow', answerWith({})),
  executed('a valid allow with ALLOW in upper case', answerWith({ decision: 'ALLOW' })),
  executed('a valid allow with unknown members', answerWith({ brandNew: { deep: [1, 2, 3] } })),
  executed(
    'a valid allow without the optional members',
    answerWith({ success: undefined, reasonCode: undefined, decision_id: undefined }),
  ),
  executed(
    'a valid allow with a charset',
    answerWith({}, { headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
  ),
  executed(
    'a valid allow in gzip',
    answerText((json) => gzipSync(json), { headers: { 'Content-Encoding': 'gzip' } }),
  ),
  executed('a valid allow in small pieces', (attack) =>
    drip(attack, httpAnswer(JSON.stringify(attack.allow)), 64, 1),
  ),
  executed('a valid allow by a clock a year behind', answerWith(clockOff(-365 * 86_400_000))),
  executed('a valid allow by a clock a year ahead', answerWith(clockOff(365 * 86_400_000))),
  executed(
    'a replayed allow that still holds',
    answerWith(() => lifetime(-60_000, 60_000), { headers: { 'Idempotency-Replayed': 'true' } }),
  ),
  stopped('a pause', answerWith({ decision: 'pause', allowed: false, reason_code: 'authority_unverified' })),
  stopped('a block', answerWith({ decision: 'block', allowed: false, reason_code: 'CONTROL_FAILED' })),
  stopped('a PAUSE in upper case', answerWith({ decision: 'PAUSE', allowed: false })),
];

export const otherBodies: readonly Scenario[] = [
  stopped(
    'HTML with status 200',
    answerText(() => '<!doctype html><title>Sign in</title>', { headers: { 'Content-Type': 'text/html' } }),
  ),
  stopped(
    'HTML that says it is JSON',
    answerText(() => '<!doctype html><title>Sign in</title>'),
  ),
  ...[
    undefined,
    '',
    'text/plain',
    'text/html',
    'text/json',
    'application/problem+json',
    'application/octet-stream',
    'application/json, text/html',
    'application/jsonp',
    'application/json; charset=utf-16',
  ].map((type) =>
    stopped(
      `an allow with the content type ${type === undefined ? 'left out' : `"${type}"`}`,
      answerWith({}, { headers: { 'Content-Type': type } }),
    ),
  ),
  stopped(
    'an empty body',
    answerText(() => ''),
  ),
  stopped(
    'null',
    answerText(() => 'null'),
  ),
  stopped(
    'the word allow',
    answerText(() => '"allow"'),
  ),
  stopped(
    'an allow in an array',
    answerText((json) => `[${json}]`),
  ),
  stopped(
    'an allow one level down',
    answerText((json) => `{"data":${json}}`),
  ),
  stopped(
    'an allow as a prototype',
    answerText((json) => `{"__proto__":${json}}`),
  ),
  stopped(
    'an allow twice in a row',
    answerText((json) => json + json),
  ),
  stopped(
    'an allow with bytes after it',
    answerText((json) => `${json}x`),
  ),
  stopped(
    'an allow after a byte order mark',
    answerText((json) => `\ufeff${json}`),
  ),
  stopped(
    'an allow in UTF-16',
    answerText((json) => Buffer.from(json, 'utf16le')),
  ),
  stopped(
    'an allow that is not UTF-8',
    answerText((json) => Buffer.from(json.replace('every', '\xff\xfe'), 'latin1')),
  ),
  stopped(
    'an allow in half',
    answerText((json) => json.slice(0, json.length / 2)),
  ),
  stopped(
    'an allow without its last brace',
    answerText((json) => json.slice(0, -1)),
  ),
  stopped('an allow shorter than its Content-Length', (attack) => {
    const json = JSON.stringify(attack.allow);
    attack.socket.end(httpAnswer(json, { headers: { 'Content-Length': String(json.length + 10) } }));
  }),
  stopped('an allow in chunks that end in its middle', (attack) => {
    const json = JSON.stringify(attack.allow).slice(0, -1);
    const head = httpAnswer('', { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } });
    attack.socket.end(Buffer.concat([head, Buffer.from(`${json.length.toString(16)}\r\n${json}\r\n`)]));
  }),
  stopped(
    'decision twice, block first',
    answerText((json) => json.replace('{', '{"decision":"block",')),
  ),
  stopped(
    'decision twice, block last',
    answerText((json) => json.replace(/}$/, ',"decision":"block"}')),
  ),
  stopped(
    'decision twice, once escaped',
    answerText((json) => json.replace('{', '{"\\u0064ecision":"block",')),
  ),
  stopped(
    'a member twice further down',
    answerText((json) => json.replace('{', '{"more":[{"a":1,"a":2}],')),
  ),
  stopped(
    'an error envelope',
    answerText(() =>
      JSON.stringify({
        success: false,
        allowed: false,
        failClosed: true,
        error: { code: 'internal_error', message: 'no' },
      }),
    ),
  ),
  stopped(
    'bytes that are not HTTP',
    ({ socket }) => void socket.end(Buffer.from('\x16\x03\x01\x02\x00allow allow allow')),
  ),
];

export const otherMembers: readonly Scenario[] = [
  ...['decision', 'allowed', 'reason', 'reason_code', 'schemaVersion'].flatMap((member) => [
    stopped(`an allow without ${member}`, answerWith({ [member]: undefined })),
    stopped(`an allow whose ${member} is null`, answerWith({ [member]: null })),
    stopped(`an allow whose ${member} is 1`, answerWith({ [member]: 1 })),
    stopped(`an allow whose ${member} is an empty string`, answerWith({ [member]: '' })),
    stopped(
      `an allow whose ${member} is in an array`,
      answerWith(({ allow }) => ({ [member]: [allow[member]] })),
    ),
  ]),
  ...['write_intent.v2', 'WRITE_INTENT.V1', 'action_request.v1'].map((schemaVersion) =>
    stopped(`the schemaVersion ${schemaVersion}`, answerWith({ schemaVersion })),
  ),
  ...['approve', 'allowed', ' allow', 'allow\n', 'аllow', 'deny', 'true'].map((decision) =>
    stopped(`the decision ${JSON.stringify(decision)}`, answerWith({ decision })),
  ),
  stopped('an allow that is not allowed', answerWith({ allowed: false })),
  stopped('a pause that is allowed', answerWith({ decision: 'pause' })),
  stopped('a block that is allowed', answerWith({ decision: 'block' })),
  stopped('an allow that is allowed in words', answerWith({ allowed: 'true' })),
  stopped('an allow that is no success', answerWith({ success: false })),
  stopped('an allow with an error', answerWith({ error: { code: 'internal_error', message: 'no' } })),
];

function clockOff(byMs: number) {
  return () => lifetime(byMs, byMs + 60_000);
}

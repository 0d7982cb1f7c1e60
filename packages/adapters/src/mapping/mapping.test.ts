import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WriteIntent } from '@writecheck/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidArguments } from '../invalid-arguments.ts';
import { argumentsDigest, readMapping, toolMapOf } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-mapping-'));
const intent = {
  system: 'crm',
  objectType: 'contact',
  objectRef: '{{id}}',
  field: 'email',
  agentValue: '{{email}}',
};

function faultsOf(value: unknown): readonly string[] {
  const read = readMapping(value);
  return read.kind === 'invalid' ? read.faults : [];
}

async function intentFor(entry: Record<string, unknown>, args: unknown): Promise<WriteIntent> {
  const read = readMapping({ write: { update: { intent, ...entry } } });
  if (read.kind === 'invalid') throw new Error(read.faults.join());
  return toolMapOf(read.mapping, folder).write.update!(args);
}

function node(program: string) {
  return { command: [process.execPath, '-e', program] };
}
function printing(value: unknown) {
  return node(`console.log(${JSON.stringify(JSON.stringify(value))})`);
}
const PASS = { controlId: 'identity', source: 'okta', result: 'PASS' };

describe('the review of a mapping', () => {
  const review = {
    onBehalfOf: '{{user}}',
    justification: 'asked in {{ticket}}: {{why}}',
    externalRef: 'https://tickets.example/{{ticket}}',
  };
  const requestFor = (entry: Record<string, unknown>, args: unknown) => {
    const read = readMapping({ write: { update: { intent, ...entry } } });
    if (read.kind === 'invalid') throw new Error(read.faults.join());
    return toolMapOf(read.mapping, folder).reviewRequest({
      tool: 'update',
      intent: { system: 'crm' } as never,
      args,
    });
  };

  it('names the requester and the reason, from the arguments', () => {
    const args = { user: 'ada@example.com', ticket: 17, why: 'new address' };
    expect(requestFor({ review }, args)).toEqual({
      onBehalfOf: 'ada@example.com',
      justification: 'asked in 17: new address',
      externalRef: 'https://tickets.example/17',
    });
    expect(requestFor({}, args)).toEqual({});
    expect(() => requestFor({ review }, { ticket: 17 })).toThrow(
      new InvalidArguments('the arguments have no `user`'),
    );
  });

  it.each([
    [5, '/write/update/review: must be an object with onBehalfOf, justification, externalRef'],
    [{ by: 'x' }, '/write/update/review/by: is unknown; use one of onBehalfOf, justification, externalRef'],
    [{ onBehalfOf: 5 }, '/write/update/review/onBehalfOf: must be text'],
    [{ onBehalfOf: '' }, '/write/update/review/onBehalfOf: must be text'],
    [
      { justification: '{{why' },
      '/write/update/review/justification: a template is written `{{name}}`, or `{{name.of.member}}`',
    ],
    [{ externalRef: 'T-17' }, '/write/update/review/externalRef: must be an http or https address'],
    [
      { externalRef: 'javascript:{{x}}' },
      '/write/update/review/externalRef: must be an http or https address',
    ],
  ])('is refused with its place: %j', (wrong, fault) => {
    expect(faultsOf({ write: { update: { intent, review: wrong } } })).toEqual([fault]);
  });
});

describe('a mapping', () => {
  it('fills the arguments into the intent, and all of them into a digest', async () => {
    const args = { id: 'c-1', email: 'a@example.org', notify: false };
    expect(await intentFor({}, args)).toEqual({
      ...intent,
      objectRef: 'c-1',
      agentValue: 'a@example.org',
      metadata: { context: { tool: 'update', argumentsDigest: argumentsDigest(args), arguments: args } },
    });
    expect(argumentsDigest({ ...args, notify: true })).not.toBe(argumentsDigest(args));
    expect(argumentsDigest({ notify: false, email: 'a@example.org', id: 'c-1' })).toBe(argumentsDigest(args));
  });

  it('converts intent members to text, and keeps types in metadata', async () => {
    const rich = {
      ...intent,
      objectRef: '{{to.0.ref}}/{{ amount }}',
      agentValue: '{{to}}',
      metadata: { agent: 'bot', context: { amount: '{{amount}}', label: 'is {{amount}}' } },
    };
    const made = await intentFor({ intent: rich }, { amount: 12.5, to: [{ ref: 'x' }] });
    expect(made).toMatchObject({
      objectRef: 'x/12.5',
      agentValue: '[{"ref":"x"}]',
      metadata: { agent: 'bot', context: { amount: 12.5, label: 'is 12.5' } },
    });
  });

  it('replaces a long value with its digest', async () => {
    const long = {
      ...intent,
      agentValue: '{{sha256(email)}}',
      metadata: { context: { sum: '{{sha256(to.0)}}' } },
    };
    const email = 'é'.repeat(20_000);
    const made = await intentFor({ intent: long }, { id: 'c-1', email, to: [{ b: 1, a: 2 }] });
    const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(made).toMatchObject({
      agentValue: digest(email),
      metadata: { context: { sum: digest('{"a":2,"b":1}') } },
    });
  });

  it('names the missing argument in a message for the model', async () => {
    const call = (async () => intentFor({}, { id: 'c-1' }))();
    await expect(call).rejects.toThrow(new InvalidArguments('the arguments have no `email`'));
  });

  it('never expands a template inside an argument', async () => {
    const made = await intentFor({}, { id: '{{email}}', email: '$&' });
    expect(made).toMatchObject({ objectRef: '{{email}}', agentValue: '$&' });
  });

  it.each([
    ['an argument that is not there', { id: 'c-1' }],
    ['an argument that is null', { id: 'c-1', email: null }],
    ['no arguments at all', undefined],
    ['a name of the prototype', Object.create({ id: 'c-1', email: 'a' })],
    ['half a character', { id: 'c-1', email: '\ud800' }],
  ])('makes no intent from %s', async (_, args) => {
    await expect((async () => intentFor({}, args))()).rejects.toThrow();
  });

  it('takes evidence and authority from files and commands, each seeing what came before', async () => {
    writeFileSync(join(folder, 'facts.json'), JSON.stringify({ controlEvidence: [PASS] }));
    const seeing = node(`
      let text = ''; process.stdin.on('data', (part) => { text += part }).on('end', () => {
        const { objectRef, controlEvidence } = JSON.parse(text);
        console.log(JSON.stringify({ authorityFound: true, authoritySource: 'master',
          authorityValue: objectRef + controlEvidence.length }));
      })`);
    const made = await intentFor({ evidence: [{ file: 'facts.json' }, seeing] }, { id: 'c-1', email: 'a' });
    expect(made).toMatchObject({
      controlEvidence: [PASS],
      authorityFound: true,
      authoritySource: 'master',
      authorityValue: 'c-11',
    });
  });

  it('an evidence command inherits the environment without any variable of Writecheck', async () => {
    const planted = {
      WRITECHECK_API_KEY: 'wck_dev_canary',
      WRITECHECK_API_KEY_FILE: 'canary.txt',
      WRITECHECK_OWNER_KEY: 'wck_own_canary',
      WRITECHECK_URL: 'http://canary',
      writecheck_owner_key: 'wck_own_canary',
      OF_THE_USER: 'stays',
    };
    Object.assign(process.env, planted);
    const telling = node(`
      const names = Object.keys(process.env).filter((name) => /writecheck|of_the_user/i.test(name));
      console.log(JSON.stringify({ authorityFound: true, authoritySource: names.join() }))`);
    const made = await intentFor({ evidence: [telling] }, { id: 'c-1', email: 'a' });
    for (const name of Object.keys(planted)) delete process.env[name];
    expect(made).toMatchObject({ authoritySource: 'OF_THE_USER' });
  });

  it.each([
    ['is not there', { command: ['/nowhere/at-all'] }],
    ['fails', node(`console.log('{}'); process.exitCode = 1`)],
    ['is late', { ...node('setTimeout(() => {}, 600000)'), timeoutMs: 50 }],
    ['says nothing', node('')],
    ['says no object', printing([PASS])],
    ['says a member twice', node(`console.log('{"controlEvidence":[],"controlEvidence":[]}')`)],
    ['says half of it', node(`console.log('{"controlEvidence":[')`)],
    ['says something else about the write', printing({ agentValue: 'b' })],
    ['gives evidence that is no list', printing({ controlEvidence: PASS })],
    ['says too much', node(`console.log(' '.repeat(2 << 20))`)],
    ['is a file that is not there', { file: 'none.json' }],
  ])('makes no intent if an evidence source %s', async (_, source) => {
    await expect(
      intentFor({ evidence: [printing({ controlEvidence: [PASS] }), source] }, { id: 'c', email: 'a' }),
    ).rejects.toThrow();
  });

  it('names the source that returned something else, without its arguments', async () => {
    const { command } = printing({ agentValue: 'b' });
    const call = intentFor({ evidence: [printing({}), { command }] }, { id: 'c', email: 'a' });
    const start = `the evidence source \`${command[0]}\` (/evidence/1 of the tool) returned \`agentValue\`; `;
    await expect(call).rejects.toThrow(
      `${start}it may return only \`controlEvidence\` and authorityFound, authorityValue, authoritySource`,
    );
  });

  it('leaves nothing running of a source that was late', async () => {
    const mark = `30.${Math.floor(Math.random() * 1e9)}`;
    const late = { command: ['sh', '-c', `sleep ${mark} | cat`], timeoutMs: 200 };
    const call = intentFor({ evidence: [late] }, { id: 'c', email: 'a' });
    await expect(call).rejects.toThrow(/did not respond within 200 ms/);
    await expect
      .poll(() => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }))
      .not.toContain(`sleep ${mark}`);
  });

  it('makes no intent if two sources set the authority', async () => {
    const evidence = [printing({ authorityFound: false }), printing({ authorityFound: true })];
    await expect(intentFor({ evidence }, { id: 'c', email: 'a' })).rejects.toThrow(/two evidence sources/);
  });

  it.each([
    [null, /an object/],
    [{ reads: [] }, /\/reads: is unknown/],
    [{ read: 'all' }, /\/read: must be a list/],
    [{ write: [] }, /\/write: must be an object/],
    [{ read: ['a'], write: { a: { intent } } }, /\/write\/a: is also listed under `read`/],
    [{ write: { a: {} } }, /\/write\/a: must be an object with an `intent`/],
    [{ write: { a: { intent, evidnce: [] } } }, /\/write\/a\/evidnce: is unknown/],
    [{ write: { a: { intent: {} } } }, /\/write\/a\/intent\/system: is missing/],
    [{ write: { a: { intent: { ...intent, feild: 'x' } } } }, /feild: is not a member/],
    [{ write: { a: { intent: { ...intent, agentValue: '{{email' } } } }, /agentValue: a template is written/],
    [{ write: { a: { intent: { ...intent, requiredControls: ['{{control}}'] } } } }, /must not choose/],
    [{ write: { a: { intent: { ...intent, workflowId: '{{id}}' } } } }, /must not choose/],
    [{ write: { a: { intent: { ...intent, authorityFound: true } } } }, /comes from an `evidence` source/],
    [{ write: { a: { intent: { ...intent, controlEvidence: [PASS] } } } }, /comes from an `evidence` source/],
    [{ write: { a: { intent: { ...intent, metadata: [] } } } }, /metadata: must be an object/],
    [
      { write: { a: { intent: { ...intent, metadata: { context: { tool: 'b' } } } } } },
      /filled in by the guard/,
    ],
    [{ write: { a: { intent, evidence: [{ path: 'x' }] } } }, /must have a `file`/],
    [{ write: { a: { intent, evidence: [{ url: 'x' }] } } }, /\/url: must be an http or https address/],
    [{ write: { a: { intent, evidence: [{ url: 'https://a:b@x' }] } } }, /\/url: must be an http or https/],
    [{ write: { a: { intent, evidence: [{ url: 'https://x', token: ' ' }] } } }, /\/token: must be visible/],
    [{ write: { a: { intent, evidence: [{ url: 'https://x', file: 5 }] } } }, /\/file: is unknown/],
    [{ write: { a: { intent, evidence: [{ url: 'https://x', timeoutMs: 0 }] } } }, /timeoutMs: must be/],
    [{ write: { a: { intent, evidence: [{ command: ['x'], timeoutMs: 0 }] } } }, /timeoutMs: must be/],
  ])('with an error is refused with its place: %j', (value, fault) => {
    expect(faultsOf(value)).toEqual([expect.stringMatching(fault)]);
  });
});

describe('an evidence source with a `url`', () => {
  let server: Server;
  let base = '';
  const received: { url: string; authorization: string | undefined; body: string }[] = [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { url = '', headers } = request;
      received.push({ url, authorization: headers.authorization, body });
      if (url === '/facts') response.end(JSON.stringify({ controlEvidence: [PASS] }));
      else if (url === '/moved') response.writeHead(307, { location: '/facts' }).end();
      else if (url === '/huge') response.end(' '.repeat(2 << 20));
      else if (url === '/twice') response.end('{"controlEvidence":[],"controlEvidence":[]}');
      else if (url === '/424') response.writeHead(424).end('{"controlEvidence":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('gets the intent without evidence, with its token, and adds what it returns', async () => {
    process.env.READER_TOKEN = 'a-token';
    const before = printing({ controlEvidence: [{ ...PASS, controlId: 'other' }] });
    const evidence = [before, { url: base, token: 'env:READER_TOKEN' }];
    const made = await intentFor({ evidence }, { id: 'c-1', email: 'a' });
    delete process.env.READER_TOKEN;
    expect(made.controlEvidence).toEqual([{ ...PASS, controlId: 'other' }, PASS]);
    const { url, authorization, body } = received.at(-1)!;
    expect([url, authorization]).toEqual(['/facts', 'Bearer a-token']);
    const { controlEvidence: _, ...asked } = made;
    expect(JSON.parse(body)).toEqual(asked);
  });

  it.each([
    ['moved', {}],
    ['huge', {}],
    ['twice', {}],
    ['424', {}],
    ['slow', { timeoutMs: 50 }],
    ['facts', { token: 'env:NOT_SET' }],
  ])('makes no intent from /%s', async (path, more) => {
    const evidence = [{ url: `${base}/${path}`, ...more }];
    await expect(intentFor({ evidence }, { id: 'c', email: 'a' })).rejects.toThrow(/source/);
  });
});

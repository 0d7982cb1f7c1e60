import { describe, expect, it } from 'vitest';
import { isDecision, judgeAnswer, type Replay } from './judge-answer.ts';

const digest = 'sha256:0011';
const allow = {
  decision: 'allow',
  allowed: true,
  reason: 'every requirement is met',
  reason_code: 'requirements_met',
  schemaVersion: 'write_intent.v1',
  execution_status: 'permitted',
  intentDigest: digest,
  request_id: 'r-1',
  timestamp: at('10:00:00'),
  validUntil: at('10:05:00'),
};
function judge(answer: unknown, replay?: Replay) {
  return judgeAnswer(answer, {
    intentDigest: digest,
    requestId: 'r-1',
    sentAtMs: 1000,
    ...(replay === undefined ? {} : { replay }),
  });
}
function fault(answer: unknown) {
  const judged = judge(answer);
  return judged.kind === 'invalid' ? judged.fault : undefined;
}
function at(time: string) {
  return `2026-03-01T${time}Z`;
}

describe('a valid decision', () => {
  it('is the response with nothing added', () => {
    expect(judge(allow)).toEqual({ kind: 'valid', decision: allow, expiresAtMs: 301_000 });
  });

  it.each(['ALLOW', 'Allow', 'aLLoW'])('is returned in lower case if it says %s', (decision) => {
    expect(judge({ ...allow, decision })).toMatchObject({ kind: 'valid', decision: { decision: 'allow' } });
  });

  it.each(['pause', 'block', 'PAUSE', 'Block'])('may be %s', (decision) => {
    const { decision: _, allowed: _allowed, reason, reason_code, schemaVersion } = allow;
    const bare = { decision, allowed: false, reason, reason_code, schemaVersion };
    const judged = judge({ ...bare, error: { code: 'x', message: 'y' } });
    expect(judged).toMatchObject({
      kind: 'valid',
      expiresAtMs: Number.POSITIVE_INFINITY,
      decision: { decision: decision.toLowerCase(), allowed: false },
    });
  });

  it('may have unknown members, success, and an error that is null', () => {
    const answer = { ...allow, success: true, error: null, brandNew: [1] };
    expect(judge(answer)).toMatchObject({ kind: 'valid', decision: answer });
  });

  it('cannot pose as a local one', () => {
    expect(judge({ ...allow, origin: 'client' })).toEqual(judge(allow));
  });
});

describe('a response is not a decision', () => {
  it.each([null, undefined, 1, 'allow', [], [allow], true])('if it is %j', (answer) => {
    expect(fault(answer)).toBe('it is not a JSON object');
  });

  it.each(['decision', 'allowed', 'reason', 'reason_code', 'schemaVersion'])(
    'without a proper %s',
    (member) => {
      const { [member]: _, ...without } = allow as Record<string, unknown>;
      expect(fault(without)).toContain(`\`${member}\``);
      for (const value of [null, 1, '', [], {}, [allow[member as keyof typeof allow]]]) {
        expect(fault({ ...allow, [member]: value })).toContain(`\`${member}\``);
      }
    },
  );

  it.each(['write_intent.v2', 'Write_intent.v1', 'write_intent.v1 '])('of the schema %s', (schemaVersion) => {
    expect(fault({ ...allow, schemaVersion })).toBe('its `schemaVersion` is not `write_intent.v1`');
  });

  it.each(['approve', ' allow', 'allow ', 'allow\0', 'аllow', 'allowallow'])('that says %j', (decision) => {
    expect(fault({ ...allow, decision })).toBe('its `decision` is not one of allow, pause and block');
  });

  it.each([
    ['allow', false],
    ['pause', true],
    ['block', true],
    ['ALLOW', false],
    ['allow', 'true'],
    ['allow', 1],
    ['block', 0],
    ['pause', undefined],
  ])('if it says %s and allowed is %j', (decision, allowed) => {
    expect(fault({ ...allow, decision, allowed })).toBe('its `allowed` disagrees with its `decision`');
  });

  it.each([false, 'true', null, 1])('if its success is %j', (success) => {
    expect(fault({ ...allow, success })).toBe('its `success` is not true');
  });

  it.each([{ code: 'x', message: 'y' }, 'broken', false])('if it is an allow with the error %j', (error) => {
    expect(fault({ ...allow, error })).toBe('it carries an `error`');
  });

  it.each(['sha256:0012', 'SHA256:0011', null, undefined, '', [digest]])(
    'for the digest %j',
    (intentDigest) => {
      expect(fault({ ...allow, intentDigest })).toBe('its `intentDigest` is not that of the intent');
    },
  );

  it('if it is an allow that names no write', () => {
    const { intentDigest: _, ...unnamed } = allow;
    expect(fault(unnamed)).toBe('its `intentDigest` is not that of the intent');
  });

  it.each([undefined, null, '', 'stopped', 'held_for_review', 'PERMITTED', ['permitted']])(
    'if it is an allow whose execution_status is %j',
    (execution_status) => {
      expect(fault({ ...allow, execution_status })).toBe('its `execution_status` is not `permitted`');
    },
  );

  it.each([undefined, null, '', 'r-2', 'R-1', ['r-1']])(
    'if it is an allow for the request %j',
    (request_id) => {
      expect(fault({ ...allow, request_id })).toBe(
        'its `request_id` is not the `X-Request-ID` that was sent',
      );
    },
  );

  it('if only a polluted prototype makes it one', () => {
    const { reason: _, ...rest } = allow;
    expect(fault(Object.assign(Object.create({ reason: 'inherited' }), rest))).toContain('`reason`');
    expect(fault(Object.create(allow))).toBeDefined();
  });
});

describe('the end of a decision', () => {
  const expiry = (answer: object, repliedAtMs?: number, mayBeOfAnotherCall = false) => {
    const replay = repliedAtMs === undefined ? undefined : { repliedAtMs, mayBeOfAnotherCall };
    const judged = judge({ ...allow, ...answer }, replay);
    return judged.kind === 'valid' ? judged.expiresAtMs : judged.fault;
  };

  it('is its lifetime after the moment of sending, whatever the two clocks say', () => {
    expect(expiry({ timestamp: at('10:00:00'), validUntil: at('10:00:05') })).toBe(6000);
    expect(expiry({ timestamp: '1971-01-01T00:00:00Z', validUntil: '1971-01-01T00:00:05.250Z' })).toBe(6250);
    expect(expiry({ timestamp: at('10:00:00'), validUntil: '2026-03-01T23:59:59.123456789+13:59' })).toBe(
      1000 + 59_123,
    );
    expect(expiry({ timestamp: '2028-02-29T23:00:00Z', validUntil: '2028-02-29T00:00:05+02:00' })).toBe(
      1000 - 89_995_000,
    );
    expect(expiry({ timestamp: at('10:00:00'), validUntil: '2026-03-02T09:00:01+23:00' })).toBe(2000);
    expect(expiry({ timestamp: '2971-01-01T02:00:00+02:00', validUntil: '2971-01-01T00:00:05Z' })).toBe(6000);
  });

  it('is not later than the sending if the lifetime is zero or negative', () => {
    expect(expiry({ timestamp: at('10:00:00'), validUntil: at('10:00:00') })).toBe(1000);
    expect(expiry({ timestamp: at('10:00:01'), validUntil: at('10:00:00') })).toBe(0);
  });

  it('counts from the end of the second of the reply, if the decision may be older', () => {
    const answer = { timestamp: at('10:00:00'), validUntil: at('10:05:00') };
    expect(expiry(answer, Date.parse(at('10:04:00')))).toBe(1000 + 60_000 - 999);
    expect(expiry(answer, Date.parse(at('10:06:00')))).toBe(1000 - 60_000 - 999);
  });

  it('never counts from before the decision, even if the reply is dated so', () => {
    expect(
      expiry({ timestamp: at('10:00:00'), validUntil: at('10:00:05') }, Date.parse(at('09:00:00'))),
    ).toBe(6000);
  });

  it('is that of a replay for another request only if the key may have served another call', () => {
    const replied = Date.parse(at('10:04:00'));
    expect(expiry({ request_id: 'r-0' }, replied, true)).toBe(1000 + 60_000 - 999);
    expect(expiry({ request_id: 'r-0' }, replied, false)).toBe(
      'its `request_id` is not the `X-Request-ID` that was sent',
    );
    expect(expiry({ request_id: 'r-0' }, Number.NaN, true)).toBe('its `validUntil` cannot be checked');
    expect(expiry({}, replied, false)).toBe(1000 + 60_000 - 999);
  });

  it('is at most 5 minutes after its timestamp, whatever its reply says', () => {
    const message = 'its `validUntil` is more than 5 minutes after its `timestamp`';
    expect(expiry({ validUntil: at('10:05:00.001') })).toBe(message);
    expect(expiry({ validUntil: '2036-03-01T10:00:00Z' })).toBe(message);
    expect(expiry({ validUntil: at('10:05:01') }, Date.parse(at('10:05:00')), true)).toBe(message);
  });

  it.each([
    [{ timestamp: undefined, validUntil: at('10:00:00') }],
    [{ timestamp: undefined, validUntil: undefined }],
    [{ timestamp: 1, validUntil: at('10:00:00') }],
    [{ timestamp: 'today', validUntil: at('10:00:00') }],
    [{ timestamp: at('10:00:00'), validUntil: [at('10:00:05')] }],
    [{ timestamp: '2026-03-01T09:00:00', validUntil: at('10:00:00') }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-02T10:00:00' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-32T10:00:00Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2027-02-29T10:00:00Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-13-01T10:00:00Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T24:00:00Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:60:00Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:00:60Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:00:01.Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:00:01.1234567890Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:00:01-24:00' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:00:01-10:60' }],
    [{ timestamp: at('10:00:00'), validUntil: ' 2026-03-01T10:00:01Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:00:01Z ' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01' }],
    [{ timestamp: at('10:00:00'), validUntil: '+002026-03-01T10:00:01Z' }],
    [{ timestamp: at('10:00:00'), validUntil: '2026-03-01T10:00:01Z (noon)' }],
    [{ timestamp: at('10:00:00'), validUntil: null }],
    [{ timestamp: at('10:00:00'), validUntil: undefined }],
    [{ timestamp: at('10:00:00'), validUntil: 4_102_444_800_000 }],
  ])('makes the response invalid if it cannot be determined: %j', (answer) => {
    expect(expiry(answer)).toBe('its `validUntil` cannot be checked');
  });

  it('cannot be determined for an older decision if the reply has no date', () => {
    expect(expiry({ timestamp: at('10:00:00'), validUntil: at('10:00:05') }, Number.NaN)).toBe(
      'its `validUntil` cannot be checked',
    );
  });

  it('uses no timestamp from a polluted prototype', () => {
    const { timestamp, ...rest } = allow;
    const answer = Object.assign(Object.create({ timestamp }), rest);
    expect(judge(answer)).toMatchObject({ kind: 'invalid' });
  });
});

describe('isDecision', () => {
  it('is true for each decision in lower case, and for nothing else', () => {
    expect(isDecision(allow)).toBe(true);
    expect(isDecision({ ...allow, decision: 'block', allowed: false })).toBe(true);
    expect(isDecision({ ...allow, decision: 'ALLOW' })).toBe(false);
    expect(isDecision({ ...allow, allowed: false })).toBe(false);
    expect(isDecision(null)).toBe(false);
  });
});

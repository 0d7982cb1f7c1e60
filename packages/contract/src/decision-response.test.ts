import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import type { EngineDecision } from './decision.ts';
import { decisionResponse, decisionResponseText, type ResponseEnvelope } from './decision-response.ts';
import { decisionSchema } from './schemas/decision-v1.ts';
import {
  AUTHORITY_STATES,
  CONTROL_CODES,
  type ControlStatus,
  DECISIONS,
  EXECUTION_STATUSES,
  GATE_CODES,
  WRITE_POLICIES,
} from './vocabulary.ts';

const ALLOWED: EngineDecision = {
  decision: 'allow',
  evaluatedDecision: 'allow',
  reason: 'every "requirement" is met',
  reasonCode: 'requirements_met',
  requiredControls: ['identity'],
  controlEvaluations: [
    {
      controlId: 'identity',
      present: true,
      result: 'PASS',
      source: 'okta',
      status: 'satisfied',
      code: 'CONTROL_SATISFIED',
      effect: 'allow',
      authorityState: 'valid',
    },
  ],
  profileProvenance: { source: 'request' },
  requirementProvenance: [{ controlId: 'identity', sources: ['request'] }],
  writePolicy: 'enforce',
  observeMode: false,
  enforced: true,
  warn: false,
  failClosed: true,
  validUntil: 300_000,
  warnings: [],
  consumes: [{ source: 's', jti: 'j' }],
  restsOn: [{ source: 's', jti: 'j' }],
};

const PAUSED: EngineDecision = {
  ...ALLOWED,
  decision: 'pause',
  evaluatedDecision: 'pause',
  reasonCode: 'CONTROL_EVIDENCE_MISSING',
  remediation: [{ gate: 'control', controlId: 'identity', action: 'supply', need: 'a PASS' }],
};

const ENVELOPE: ResponseEnvelope = {
  decisionId: `dec_${'0'.repeat(32)}`,
  auditId: `aud_${'1'.repeat(32)}`,
  requestId: 'my "request"\\',
  traceId: 'a'.repeat(32),
  timestampMs: 1,
  intentDigest: `sha256:${'0'.repeat(64)}`,
  warnings: [],
};

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
addFormats.default(ajv);
const isDecision = ajv.compile(decisionSchema);

describe('the decision response', () => {
  test('an allow, to the byte', () => {
    expect(decisionResponseText(ALLOWED, ENVELOPE)).toBe(
      '{"success":true,"decision":"allow","allowed":true,"reason":"every \\"requirement\\" is met"' +
        ',"reason_code":"requirements_met","reasonCode":"requirements_met"' +
        ',"decision_id":"dec_00000000000000000000000000000000","decisionId":"dec_00000000000000000000000000000000"' +
        ',"audit_id":"aud_11111111111111111111111111111111","auditId":"aud_11111111111111111111111111111111"' +
        ',"request_id":"my \\"request\\"\\\\","traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"' +
        ',"schemaVersion":"write_intent.v1","execution_status":"permitted","executionStatus":"permitted"' +
        ',"required_controls":["identity"],"requiredControls":["identity"]' +
        ',"control_evaluations":[{"controlId":"identity","present":true,"result":"PASS","source":"okta","status":"satisfied","code":"CONTROL_SATISFIED","effect":"allow","authorityState":"valid"}]' +
        ',"controlEvaluations":[{"controlId":"identity","present":true,"result":"PASS","source":"okta","status":"satisfied","code":"CONTROL_SATISFIED","effect":"allow","authorityState":"valid"}]' +
        ',"profileProvenance":{"source":"request"}' +
        ',"requirementProvenance":[{"controlId":"identity","sources":["request"]}]' +
        ',"writePolicy":"enforce","observeMode":false,"enforced":true,"warn":false,"failClosed":true' +
        ',"timestamp":"1970-01-01T00:00:00.001Z","evaluatedDecision":"allow"' +
        ',"intentDigest":"sha256:0000000000000000000000000000000000000000000000000000000000000000"' +
        ',"validUntil":"1970-01-01T00:05:00.000Z"}',
    );
  });

  test('only an allow has `validUntil`, even if the engine sets it', () => {
    expect(decisionResponse(PAUSED, ENVELOPE)).not.toHaveProperty('validUntil');
    expect(decisionResponse({ ...PAUSED, decision: 'block' }, ENVELOPE)).not.toHaveProperty('validUntil');
  });

  test('remediation is present exactly if the evaluated decision is not allow', () => {
    expect(decisionResponse(ALLOWED, ENVELOPE)).not.toHaveProperty('remediation');
    expect(decisionResponse(PAUSED, ENVELOPE).remediation).toEqual(PAUSED.remediation);
    expect(decisionResponse({ ...ALLOWED, evaluatedDecision: 'pause' }, ENVELOPE).remediation).toEqual([]);
    expect(decisionResponse({ ...PAUSED, evaluatedDecision: 'allow' }, ENVELOPE).remediation).toEqual(
      PAUSED.remediation,
    );
  });

  test('a review is offered exactly if the engine offers one', () => {
    expect(decisionResponse(PAUSED, ENVELOPE)).not.toHaveProperty('review');
    const review = { controls: ['approval', 'a"b'] };
    expect(decisionResponse({ ...PAUSED, review }, ENVELOPE).review).toEqual(review);
  });

  test("the parser's warnings come before the engine's, and empty warnings are not sent", () => {
    expect(decisionResponse(ALLOWED, ENVELOPE)).not.toHaveProperty('warnings');
    expect(
      decisionResponse({ ...ALLOWED, warnings: ['b'] }, { ...ENVELOPE, warnings: ['a'] }).warnings,
    ).toEqual(['a', 'b']);
    expect(decisionResponse({ ...ALLOWED, warnings: ['b'] }, ENVELOPE).warnings).toEqual(['b']);
    expect(decisionResponse(ALLOWED, { ...ENVELOPE, warnings: ['a'] }).warnings).toEqual(['a']);
  });

  test('members that the engine keeps for the commit are never sent', () => {
    const text = decisionResponseText(ALLOWED, ENVELOPE);
    expect(text).not.toContain('consumes');
    expect(text).not.toContain('restsOn');
  });

  test('any decision gives a response of the published shape, with agreeing aliases', () => {
    const decision = fc.constantFrom(...DECISIONS);
    const status = fc.constantFrom(...(Object.keys(CONTROL_CODES) as ControlStatus[]));
    const evaluation = fc.record(
      {
        controlId: fc.string(),
        present: fc.boolean(),
        result: fc.string(),
        source: fc.string(),
        checkedAt: fc.string(),
        evidenceRef: fc.string(),
        fresh: fc.boolean(),
        status,
        code: status.map((of) => CONTROL_CODES[of]),
        effect: decision,
        authorityState: fc.constantFrom(...AUTHORITY_STATES),
      },
      { requiredKeys: ['controlId', 'present', 'status', 'code', 'effect', 'authorityState'] },
    );
    const engineDecision = fc.record({
      ...Object.fromEntries(
        ['observeMode', 'enforced', 'warn', 'failClosed'].map((name) => [name, fc.boolean()]),
      ),
      decision,
      evaluatedDecision: decision,
      reason: fc.string({ minLength: 1 }),
      reasonCode: fc.constantFrom(...GATE_CODES),
      requiredControls: fc.array(fc.string(), { maxLength: 3 }),
      controlEvaluations: fc.array(evaluation, { maxLength: 3 }),
      profileProvenance: fc.constant({ source: 'default', policyRef: 'sha256:0' }),
      requirementProvenance: fc.constant([
        { controlId: 'a', sources: ['request'], diagnosePromotion: { source: 's', status: 'x' } },
      ]),
      writePolicy: fc.constantFrom(...WRITE_POLICIES),
      validUntil: fc.integer({ min: 0, max: 8e12 }),
      remediation: fc.constant([
        {
          gate: 'control',
          action: 'supply',
          need: 'x',
          acceptedSources: ['y'],
          maxAgeSeconds: 1,
          assurance: 'attested',
        },
      ]),
      warnings: fc.array(fc.string()),
      consumes: fc.constant([]),
      restsOn: fc.constant([]),
    });
    fc.assert(
      fc.property(engineDecision, (generated) => {
        const decided = generated as unknown as EngineDecision;
        const response = decisionResponse(decided, ENVELOPE);
        if (!isDecision(response)) throw new Error(ajv.errorsText(isDecision.errors));
        expect(response.allowed).toBe(response.decision === 'allow');
        expect(response.decision).toBe(decided.decision);
        expect(response.execution_status).toBe(EXECUTION_STATUSES[decided.decision]);
        expect(response.executionStatus).toBe(response.execution_status);
        expect(response.reasonCode).toBe(response.reason_code);
        expect(response.decisionId).toBe(response.decision_id);
        expect(response.auditId).toBe(response.audit_id);
        expect(response.requiredControls).toEqual(response.required_controls);
        expect(response.controlEvaluations).toEqual(response.control_evaluations);
        expect(response.control_evaluations).toEqual(decided.controlEvaluations);
        for (const flag of [
          'observeMode',
          'enforced',
          'warn',
          'failClosed',
          'writePolicy',
          'reason',
        ] as const) {
          expect(response[flag]).toBe(decided[flag]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('the published schema of a decision', () => {
  test('refuses a response that contradicts itself or lacks a member', () => {
    const allowed = decisionResponse(ALLOWED, ENVELOPE);
    const paused = decisionResponse(PAUSED, ENVELOPE);
    expect(isDecision(allowed)).toBe(true);
    expect(isDecision(paused)).toBe(true);
    expect(isDecision({ ...allowed, allowed: false })).toBe(false);
    expect(isDecision({ ...paused, allowed: true })).toBe(false);
    expect(isDecision({ ...paused, validUntil: allowed.validUntil })).toBe(false);
    expect(isDecision({ ...allowed, remediation: [] })).toBe(false);
    expect(isDecision({ ...allowed, warnings: [] })).toBe(false);
    expect(isDecision({ ...paused, review: { controls: ['approval'] } })).toBe(true);
    expect(isDecision({ ...paused, review: { controls: [] } })).toBe(false);
    expect(isDecision({ ...allowed, review: { controls: ['approval'] } })).toBe(false);
    for (const whole of [allowed, paused]) {
      for (const member of Object.keys(whole)) {
        expect(isDecision({ ...whole, [member]: undefined }), member).toBe(false);
        const { [member as 'reason']: _, ...rest } = whole;
        expect(isDecision(rest), member).toBe(false);
      }
    }
    expect(isDecision({ ...allowed, more: 1 })).toBe(true);
  });

  test('accepts its own example', () => {
    for (const example of decisionSchema.examples as unknown[]) expect(isDecision(example)).toBe(true);
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { anyDocuments, mutate, seeded } from '../../test/documents.ts';
import { compile } from './compile.ts';
import { DOCUMENT_KINDS } from './document-shapes.ts';
import { POLICY_DOCUMENT_SCHEMA, POLICY_SCHEMAS } from './schemas.ts';

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
const ofAny = ajv.compile(POLICY_DOCUMENT_SCHEMA);
const ofKind = new Map(DOCUMENT_KINDS.map((kind) => [kind as string, ajv.compile(POLICY_SCHEMAS[kind])]));

/**
 * Rules beyond any schema: that another document exists, that a day exists, that a condition or an intent is
 * valid.
 */
const BEYOND_A_SCHEMA =
  /in the bundle|must be a duration from|only one pack|appears twice|not a day and time|globs|`__proto__`|lone surrogates|may contain \d+ bytes|deeper|is a private part/;

function judge(document: unknown) {
  const compiled = compile([document]);
  const faults = compiled.kind === 'snapshot' ? [] : compiled.faults;
  const ofShape = faults.filter(
    (fault) =>
      !BEYOND_A_SCHEMA.test(fault.message) &&
      !fault.pointer.startsWith('/intent/') &&
      fault.line === undefined,
  );
  const onlyBeyond = faults.length > 0 && ofShape.length === 0;
  return { refused: ofShape.length > 0, onlyBeyond, faults };
}

describe('the published schemas agree with the validator', () => {
  test('on documents with up to three mutations, in both directions', () => {
    const random = seeded(20_261_115);
    const counts = { accepted: 0, refused: 0 };
    for (let round = 0; round < 6_000; round += 1) {
      let document: unknown = random.pick(anyDocuments());
      for (let times = random.below(4); times > 0; times -= 1) document = mutate(document, random);
      const { refused, onlyBeyond, faults } = judge(document);
      const kind = (document as { kind?: unknown } | null)?.kind;
      const bySchema = ofAny(document) as boolean;
      const where = JSON.stringify({ document, faults, errors: ofAny.errors }, null, 1);
      if (faults.some((fault) => fault.pointer.startsWith('/intent'))) continue;
      expect(bySchema, where).toBe(!refused);
      const specific = ofKind.get(kind as string);
      if (specific !== undefined && typeof document === 'object')
        expect(specific(document), where).toBe(!refused);
      if (!onlyBeyond) counts[refused ? 'refused' : 'accepted'] += 1;
    }
    expect(counts.accepted).toBeGreaterThan(1_000);
    expect(counts.refused).toBeGreaterThan(1_000);
  });

  test('every member is described or described by its parent', () => {
    for (const kind of DOCUMENT_KINDS) expect(POLICY_SCHEMAS[kind].description).toMatch(/\.$/);
  });
});

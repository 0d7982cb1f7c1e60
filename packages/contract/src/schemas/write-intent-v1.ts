/** The published schema of a write intent. */
import { REQUIRED_OF_WRITE_INTENT } from '../parse-intent.ts';
import { WRITE_INTENT_VERSION } from '../vocabulary.ts';
import { type JsonSchema, membersWith, NO_MISSPELT_MEMBER } from './request-members.ts';

export const writeIntentSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:writecheck:schema:write-intent.v1',
  title: 'Write intent',
  description:
    'A write that an agent is about to perform: one value of one field. ' +
    'Misspelt members are refused; other unknown members are ignored with a warning.',
  type: 'object',
  required: REQUIRED_OF_WRITE_INTENT,
  propertyNames: NO_MISSPELT_MEMBER,
  properties: {
    schemaVersion: { enum: [WRITE_INTENT_VERSION, null], description: 'the version of this schema' },
    ...membersWith(REQUIRED_OF_WRITE_INTENT),
  },
  examples: [
    {
      schemaVersion: WRITE_INTENT_VERSION,
      system: 'erp',
      objectType: 'vendor',
      objectRef: 'V-1001',
      field: 'payment_terms',
      agentValue: 'NET30',
      authorityValue: 'NET30',
      authoritySource: 'vendor-master',
      authorityFound: true,
      requiredControls: ['identity'],
      controlEvidence: [
        { controlId: 'identity', source: 'okta', result: 'PASS', checkedAt: '2026-01-31T12:00:00Z' },
      ],
      metadata: { agent: 'ap-bot', context: { amount: 1250.5 } },
    },
  ],
};

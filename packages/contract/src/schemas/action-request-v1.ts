/** The published schema of an action request. */
import { REQUIRED_OF_ACTION_REQUEST } from '../parse-intent.ts';
import { ACTION_REQUEST_VERSION, WRITE_INTENT_VERSION } from '../vocabulary.ts';
import { type JsonSchema, membersWith, NO_MISSPELT_MEMBER } from './request-members.ts';

export const actionRequestSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:writecheck:schema:action-request.v1',
  title: 'Action request',
  description:
    'An operation that an agent is about to perform. ' +
    'Misspelt members are refused; other unknown members are ignored with a warning.',
  type: 'object',
  required: REQUIRED_OF_ACTION_REQUEST,
  propertyNames: NO_MISSPELT_MEMBER,
  properties: {
    schemaVersion: {
      enum: [ACTION_REQUEST_VERSION, WRITE_INTENT_VERSION, null],
      description: 'the version of this schema; the version of the write intent is accepted too',
    },
    ...membersWith(REQUIRED_OF_ACTION_REQUEST),
  },
  examples: [
    {
      schemaVersion: ACTION_REQUEST_VERSION,
      system: 'payments',
      operation: 'refund.create',
      objectRef: 'order-4711',
      requiredControls: ['identity', 'approval'],
      controlEvidence: [
        { controlId: 'identity', source: 'okta', result: 'PASS', checkedAt: '2026-01-31T12:00:00Z' },
        { controlId: 'approval', source: 'ticketing', result: 'PASS', checkedAt: '2026-01-31T11:58:00Z' },
      ],
    },
  ],
};

import type { PolicyDocument } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { controlTraits, requirementMap } from './requirement-map.ts';

const DOCUMENTS = [
  { kind: 'Workflow', id: 'payout', profiles: ['bank', 'gone'], require: ['dual'] },
  {
    kind: 'ControlPack',
    id: 'core',
    version: '1',
    controls: {
      identity: { maxAge: '15m', sources: ['okta', 'ad'] },
      approval: { assurance: 'attested', bind: 'object', use: 'once', onUnmet: 'block', onFailed: 'pause' },
    },
  },
  {
    kind: 'Profile',
    id: 'bank',
    match: { system: 'erp', field: ['iban', 'bic'] },
    when: 'intent.agentValue != ""',
    require: ['identity', { control: 'approval' }],
    authority: 'required',
  },
  { kind: 'Profile', id: 'all', writePolicy: 'observe', authority: { required: false } },
] as const satisfies readonly PolicyDocument[];

const { controls, places } = requirementMap(DOCUMENTS);

test('every control that is defined or required is a row, in the order of their names', () => {
  expect(controls.map(({ id, pack }) => [id, pack])).toEqual([
    ['approval', 'core'],
    ['dual', null],
    ['identity', 'core'],
  ]);
});

test('profiles come before workflows, with what they cover and how they act', () => {
  expect(places.map(({ id, kind, mode, reach, when }) => [id, kind, mode, reach, when])).toEqual([
    ['all', 'Profile', 'observe', 'every write', null],
    ['bank', 'Profile', 'enforce', 'erp · iban, bic', 'intent.agentValue != ""'],
    ['payout', 'Workflow', 'enforce', 'writes that name payout', null],
  ]);
});

test('a workflow inherits what its profiles require, and a profile that is missing adds nothing', () => {
  const [, bank, payout] = places;
  expect([...bank!.own]).toEqual(['identity', 'approval']);
  expect([...payout!.own]).toEqual(['dual']);
  expect([...payout!.inherited]).toEqual(['identity', 'approval']);
});

test('an authority that is not required is not shown as one', () => {
  expect(places.map(({ asksForAuthority }) => asksForAuthority)).toEqual([false, true, false]);
});

test('a control is described by everything that limits its evidence', () => {
  expect(controls.map(controlTraits)).toEqual([
    [
      'any age',
      'any source',
      'signed for the object',
      'single use',
      'blocks when unmet',
      'pauses when failed',
    ],
    ['any source, any age'],
    ['up to 15 minutes old', 'from okta or ad'],
  ]);
});

test('a control that confirms, that a condition reads or that a limit asks for is used', () => {
  const used = requirementMap([
    { kind: 'Profile', id: 'bank', authority: { confirmedBy: 'master' }, when: 'facts.order.total > 5.0' },
    {
      kind: 'Limit',
      id: 'day',
      max: 5,
      per: '24h',
      by: ['facts.order.customer'],
      beyond: { require: ['approval'] },
    },
  ]);
  expect(used.controls.map(({ id }) => id)).toEqual(['approval', 'master', 'order']);
  const [bank, day] = used.places;
  expect([...bank!.uses]).toEqual([
    ['order', 'read'],
    ['master', 'confirms'],
  ]);
  expect([day!.kind, [...day!.own], [...day!.uses]]).toEqual(['Limit', ['approval'], [['order', 'read']]]);
});

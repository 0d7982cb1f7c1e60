/** Verdicts by people over HTTP, on both stores: who may decide, what a passkey proves, and what ends a verdict. */
import { parseEntry } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { exportOf, verdictOf } from '../audit/audit-kit.ts';
import { accept, assertionFor, batchAssertion, join, type Member, say, sign } from '../people/people-kit.ts';
import { type Opened, onBothStores, pack, type ReviewKit } from './reviews-kit.ts';

const by = (review: object) => ({ assurance: 'attested', review });
const POLICY = [
  pack({
    approval: by({ groups: ['finance'] }),
    signed: by({ identity: 'passkey' }),
    dual: by({ approvals: 2 }),
    brief: by({ approvals: 2, holdsFor: '5m' }),
    own: by({ selfReview: true }),
    any: by({ identity: 'any' }),
  }),
];

onBothStores((kitNow) => {
  let isReady = false;
  const ready = async (): Promise<ReviewKit> => {
    const kit = kitNow();
    if (!isReady) await kit.applyPolicy(POLICY);
    isReady = true;
    // One key opens 60 reviews an hour at most.
    kit.nowMs += 5 * 60_000;
    return kit;
  };
  const openedFor = async (kit: ReviewKit, ...requiredControls: string[]): Promise<Opened> => {
    // Passkeys count only if they were registered before the review was opened.
    kit.nowMs += 1;
    return kit.opened({ requiredControls });
  };
  const codeOf = async (reply: ReturnType<typeof say>): Promise<string> => {
    const { status, body } = await reply;
    return `${status} ${body.error?.code ?? body.review.state}`;
  };

  test('a reviewer of the group approves, and is named to people but not to the agent', async () => {
    const kit = await ready();
    const ada = await join(kit.service, { groups: ['finance'] });
    const { review } = await openedFor(kit, 'approval');
    const { status, body } = await say(kit.service, ada, review, { comment: 'fine' });
    expect([status, body.review.state]).toEqual([200, 'approved']);
    expect(body.review.verdicts).toMatchObject([
      { by: { kind: 'person', id: ada.id, name: ada.name }, identity: 'person', controls: ['approval'] },
    ]);
    const shown = await kit.read(review.id);
    expect(shown.evidence).toHaveLength(1);
    expect(JSON.stringify(shown)).not.toContain(ada.id);
    expect(JSON.stringify(shown)).not.toContain(ada.name);
  });

  test('refusals come in order: role, group, self-review, identity, assertion, voted', async () => {
    const kit = await ready();
    const { service } = kit;
    const [finance, outsider, auditor] = [
      await join(service, { groups: ['finance'] }),
      await join(service),
      await join(service, { roles: ['auditor', 'author'] }),
    ];
    const { review } = await openedFor(kit, 'approval');
    expect(await codeOf(say(service, auditor, review))).toBe('403 insufficient_scope');
    expect(await codeOf(say(service, outsider, review))).toBe('403 not_a_reviewer');
    const paused = await kit.pause();
    const asked = await kit.open(paused.decisionId, undefined, { onBehalfOf: finance.email.toUpperCase() });
    expect(await codeOf(say(service, finance, asked.body.review))).toBe('403 self_review');
    const signed = (await openedFor(kit, 'signed')).review;
    expect(await codeOf(say(service, finance, signed))).toBe('403 identity_too_weak');
    const lies = { otherKey: true };
    expect(await codeOf(sign(service, finance, signed, { lies }))).toBe('422 assertion_invalid');
    expect(await codeOf(sign(service, finance, review, { lies }))).toBe('422 assertion_invalid');
    const dual = (await openedFor(kit, 'dual')).review;
    expect(await codeOf(say(service, finance, dual))).toBe('200 open');
    const no = { verdict: 'reject', comment: 'no' } as const;
    expect(await codeOf(sign(service, finance, dual, { ...no, lies }))).toBe('422 assertion_invalid');
    expect(await codeOf(say(service, finance, dual, no))).toBe('409 already_voted');
    expect(await codeOf(say(service, finance, dual))).toBe('200 open');
    expect(await codeOf(say(service, outsider, dual, no))).toBe('200 rejected');
  });

  test('nobody approves what they or one of their keys asked for', async () => {
    const kit = await ready();
    const { service } = kit;
    const owner = await join(service, { roles: ['owner'], groups: ['finance'] });
    const holder = await join(service, { groups: ['finance'] });
    const members = { kind: 'development', name: 'k', heldBy: holder.id };
    const made = await kit.call('POST', '/v1/keys', owner.token, members);
    expect(made.body.key).toMatchObject({ heldBy: holder.id, madeBy: owner.id });
    const rotated = await kit.call('POST', `/v1/keys/${made.body.key.id}/rotate`, service.ownerKey, {});
    for (const secret of [made.body.secret, rotated.body.secret]) {
      kit.nowMs += 1;
      const { review } = await kit.opened({}, secret);
      expect(await codeOf(say(service, holder, review))).toBe('403 self_review');
      expect(await codeOf(say(service, owner, review))).toBe('403 self_review');
    }
    const { decisionId } = await kit.pause();
    const asOwner = await kit.open(decisionId, owner.token);
    expect([asOwner.status, asOwner.body.review.askedBy.length]).toEqual([201, 1]);
    expect(await codeOf(say(service, owner, asOwner.body.review))).toBe('403 self_review');
    expect(await codeOf(say(service, holder, asOwner.body.review))).toBe('200 approved');
    const joined = await openedFor(kit, 'approval');
    expect((await kit.open(joined.decisionId, owner.token)).status).toBe(200);
    expect(await codeOf(say(service, owner, joined.review))).toBe('403 self_review');
    const own = await kit.opened({ requiredControls: ['own'] }, made.body.secret);
    expect(await codeOf(say(service, holder, own.review))).toBe('200 approved');
  });

  test('two approvals need two people, each judged when the last one arrives', async () => {
    const kit = await ready();
    const { service } = kit;
    const [ada, bob, cy] = [await join(service), await join(service), await join(service)];
    const { review } = await openedFor(kit, 'dual');
    expect(await codeOf(say(service, ada, review))).toBe('200 open');
    expect(await codeOf(say(service, ada, review))).toBe('200 open');
    const patched = await kit.call('PATCH', `/v1/people/${ada.id}`, service.ownerKey, { roles: ['author'] });
    expect(patched.status).toBe(200);
    expect(await codeOf(say(service, bob, review))).toBe('200 open');
    expect(await codeOf(say(service, cy, review))).toBe('200 approved');
  });

  test('an approval that counts again, or is renewed after `holdsFor`, approves without a withdrawal', async () => {
    const kit = await ready();
    const { service } = kit;
    const [ada, bob] = [await join(service), await join(service)];
    const { review } = await openedFor(kit, 'dual');
    await say(service, ada, review);
    const path = `/v1/people/${ada.id}`;
    await kit.call('PATCH', path, service.ownerKey, { roles: ['author'] });
    expect(await codeOf(say(service, bob, review))).toBe('200 open');
    await kit.call('PATCH', path, service.ownerKey, { roles: ['reviewer'] });
    expect(await codeOf(say(service, bob, review))).toBe('200 approved');

    const late = (await openedFor(kit, 'brief')).review;
    await say(service, ada, late);
    kit.nowMs += 5 * 60_000 + 1;
    expect(await codeOf(say(service, bob, late))).toBe('200 open');
    const waits = await kit.call('GET', '/v1/reviews?for=me&limit=100', ada.token);
    expect(waits.body.reviews.map(({ id }: { id: string }) => id)).toContain(late.id);
    expect(await codeOf(say(service, ada, late))).toBe('200 approved');
  });

  test('an approval is withdrawn while the review is open', async () => {
    const kit = await ready();
    const { service } = kit;
    const [ada, bob] = [await join(service), await join(service)];
    const { review } = await openedFor(kit, 'dual');
    const mine = (member: Member) =>
      codeOf(kit.call('DELETE', `/v1/reviews/${review.id}/verdicts/mine`, member.token));
    expect(await mine(ada)).toBe('404 not_found');
    await say(service, ada, review);
    expect(await mine(ada)).toBe('200 open');
    expect(await codeOf(say(service, bob, review))).toBe('200 open');
    expect(await codeOf(say(service, ada, review))).toBe('200 approved');
    expect(await mine(ada)).toBe('409 review_closed');
  });

  test('a verdict that covers more controls replaces the first', async () => {
    const kit = await ready();
    const { service } = kit;
    const ada = await join(service);
    const { review } = await openedFor(kit, 'signed', 'dual');
    const first = await say(service, ada, review);
    expect(first.body.review.verdicts).toMatchObject([{ controls: ['dual'], identity: 'person' }]);
    const second = await sign(service, ada, review);
    expect(second.body.review.verdicts).toMatchObject([
      { controls: ['signed', 'dual'], identity: 'passkey' },
    ]);
    expect((await say(service, ada, review)).body.review.verdicts).toMatchObject([{ identity: 'passkey' }]);
    expect(await codeOf(say(service, await join(service), review))).toBe('200 approved');
  });

  test('a passkey signs exactly this verdict; its assertion is in the log, and never works twice', async () => {
    const kit = await ready();
    const { service } = kit;
    const [ada, eve] = [await join(service), await join(service)];
    const { review } = await openedFor(kit, 'signed', 'dual');
    const other = (await openedFor(kit, 'signed')).review;
    for (const wrong of [
      assertionFor(service, ada, other),
      assertionFor(service, ada, review, { verdict: 'reject', comment: 'no' }),
      assertionFor(service, ada, review, { comment: 'unseen' }),
      assertionFor(service, ada, review, { controls: ['signed'] }),
      assertionFor(service, eve, review),
      ada.device.assertion(Buffer.concat([Buffer.alloc(32, 1), Buffer.from('signin')])),
      assertionFor(service, ada, review, { lies: { origin: 'http://evil.example' } }),
    ]) {
      expect(await codeOf(sign(service, ada, review, { assertion: wrong }))).toBe('422 assertion_invalid');
    }
    const late = await accept(service, await invitationOf(kit, await join(service)));
    expect(late.token).toBeDefined();
    const assertion = assertionFor(service, ada, review);
    expect(await codeOf(sign(service, ada, review, { assertion }))).toBe('200 open');
    // The same again, such as a retry after a lost response.
    expect(await codeOf(sign(service, ada, review, { assertion }))).toBe('200 open');
    await kit.call('DELETE', `/v1/reviews/${review.id}/verdicts/mine`, ada.token);
    expect(await codeOf(sign(service, ada, review, { assertion }))).toBe('422 assertion_invalid');
    expect(await codeOf(sign(service, ada, review))).toBe('200 open');
    const entries = await verdictEntries(kit, review.id);
    expect(entries[0]).toMatchObject({ by: { kind: 'person', id: ada.id }, details: { assertion } });
    expect(JSON.stringify(entries)).not.toContain(ada.name);
  });

  test('a passkey that was registered after the review was opened signs nothing', async () => {
    const kit = await ready();
    const { review } = await openedFor(kit, 'signed');
    const late = await join(kit.service);
    expect(await codeOf(sign(kit.service, late, review))).toBe('422 assertion_invalid');
  });

  test('one prompt signs several verdicts, and only those', async () => {
    const kit = await ready();
    const { service } = kit;
    const ada = await join(service);
    const reviews = [];
    for (let i = 0; i < 3; i += 1) reviews.push((await openedFor(kit, 'signed')).review);
    const assertion = batchAssertion(service, ada, reviews.slice(0, 2));
    for (const review of reviews.slice(0, 2)) {
      expect(await codeOf(sign(service, ada, review, { assertion }))).toBe('200 approved');
    }
    expect(await codeOf(sign(service, ada, reviews[2], { assertion }))).toBe('422 assertion_invalid');
    const [entry] = await verdictEntries(kit, reviews[1].id);
    expect(entry?.details.assertion).toEqual(assertion);
  });

  test('for=me lists what this person may decide', async () => {
    const kit = await ready();
    const { service } = kit;
    const [ada, outsider] = [await join(service, { groups: ['finance'] }), await join(service)];
    const open = {
      approval: (await openedFor(kit, 'approval')).review.id,
      signed: (await openedFor(kit, 'signed')).review.id,
      dual: (await openedFor(kit, 'dual')).review,
    };
    const paused = await kit.pause();
    const own = (await kit.open(paused.decisionId, undefined, { onBehalfOf: ada.email })).body.review.id;
    await say(service, ada, open.dual);
    const waits = async ({ token }: Member) => {
      const { body } = await kit.call('GET', '/v1/reviews?for=me&limit=100', token);
      return body.reviews.map(({ id }: { id: string }) => id);
    };
    const forAda = await waits(ada);
    expect(forAda).toEqual(expect.arrayContaining([open.approval, open.signed]));
    expect(forAda).not.toContain(open.dual.id);
    // A person whom the caller names may still reject it.
    expect(forAda).toContain(own);
    expect(await waits(outsider)).toEqual(expect.arrayContaining([open.signed, open.dual.id]));
    expect(await waits(outsider)).not.toContain(open.approval);
    const late = await waits(await join(service));
    expect(late).toContain(open.dual.id);
    expect(late).not.toContain(open.signed);
  });

  test.each(['disabled', 'reset'])('nothing that rests on somebody %s counts any longer', async (how) => {
    const kit = await ready();
    const { service } = kit;
    const [ada, bob] = [await join(service, { groups: ['finance'] }), await join(service)];
    const dual = (await openedFor(kit, 'dual')).review;
    const unused = await openedFor(kit, 'approval');
    const used = await openedFor(kit, 'approval');
    await say(service, ada, dual);
    for (const { review } of [unused, used]) await say(service, ada, review);
    const evidenceOf = async ({ review }: Opened) => (await kit.read(review.id)).evidence;
    const evidence = await evidenceOf(unused);
    expect((await kit.again(used.intent, await evidenceOf(used))).body.decision).toBe('allow');

    if (how === 'disabled') await kit.call('DELETE', `/v1/people/${ada.id}`, service.ownerKey);
    else await invitationOf(kit, ada);
    const { body } = await kit.again(unused.intent, evidence);
    expect([body.decision, body.reason_code]).toEqual(['pause', 'CONTROL_EVIDENCE_UNTRUSTED']);
    const shown = await kit.read(unused.review.id);
    expect(shown).toMatchObject({ state: 'approved', because: 'disabled' });
    expect(shown).not.toHaveProperty('evidence');
    expect(await kit.read(used.review.id)).toMatchObject({ state: 'approved', because: 'used' });
    expect(await codeOf(say(service, bob, dual))).toBe('200 open');
    expect((await say(service, ada, dual)).status).toBe(401);

    // Back with a new passkey: earlier verdicts still do not count, and block nobody.
    const again = { ...ada, ...(await accept(service, await invitationOf(kit, ada))) };
    expect((await kit.again(unused.intent, evidence)).body.decision).toBe('pause');
    expect(await codeOf(say(service, again, dual))).toBe('200 approved');
    const anew = await kit.open((await kit.again(unused.intent, [])).body.decision_id);
    expect([anew.status, anew.body.review.state]).toEqual([201, 'open']);
  });

  test('an approval cannot be used by a key that one of its approvers holds or created', async () => {
    const kit = await ready();
    const { service } = kit;
    const [ada, owner] = [await join(service), await join(service, { roles: ['owner'] })];
    const made = await kit.call('POST', '/v1/keys', owner.token, { kind: 'development', name: 'o' });
    const held = await kit.newKey('development', { heldBy: ada.id });
    const both = await openedFor(kit, 'dual', 'own');
    await say(service, ada, both.review);
    await say(service, owner, both.review);
    const { evidence } = await kit.read(both.review.id);
    for (const key of [held.secret, made.body.secret]) {
      const { body } = await kit.again(both.intent, evidence, { key });
      const statuses = body.control_evaluations.map(({ status }: { status: string }) => status);
      expect(statuses).toEqual(['untrusted', 'satisfied']);
    }
    // Opening again gives such a key a review of its own, and everybody else the approved one.
    const mine = await kit.open(
      (await kit.again(both.intent, [], { key: held.secret })).body.decision_id,
      held.secret,
    );
    expect([mine.status, mine.body.review.state]).toEqual([201, 'open']);
    await kit.call('POST', `/v1/reviews/${mine.body.review.id}/cancel`, held.secret, {});
    const theirs = await kit.open((await kit.again(both.intent, [])).body.decision_id);
    expect([theirs.status, theirs.body.review.id]).toEqual([200, both.review.id]);
    // A key that an approver rotates counts as created by them: it sees the review, and no evidence.
    const asker = await kit.newKey('development');
    const asked = await kit.opened({ requiredControls: ['own', 'any'] }, asker.secret);
    await say(service, owner, asked.review);
    const rotated = await kit.call('POST', `/v1/keys/${asker.id}/rotate`, owner.token, {});
    expect(await kit.read(asked.review.id, asker.secret)).toHaveProperty('evidence');
    const unusable = await kit.read(asked.review.id, rotated.body.secret);
    expect(unusable.state).toBe('approved');
    expect(unusable).not.toHaveProperty('evidence');
    expect((await kit.again(both.intent, evidence)).body.decision).toBe('allow');
  });

  test('people comment and cancel within their rights', async () => {
    const kit = await ready();
    const { service } = kit;
    const [ada, outsider, author, auditor, owner] = [
      await join(service, { groups: ['finance'] }),
      await join(service),
      await join(service, { roles: ['author'] }),
      await join(service, { roles: ['auditor'] }),
      await join(service, { roles: ['owner'] }),
    ];
    const act = ({ token }: Member, id: string, what: string, json: object) =>
      codeOf(kit.call('POST', `/v1/reviews/${id}/${what}`, token, json));
    const { review } = await openedFor(kit, 'approval');
    const text = { text: 'which invoice?' };
    for (const member of [outsider, author])
      expect(await act(member, review.id, 'comments', text)).toBe('201 open');
    expect(await act(auditor, review.id, 'comments', text)).toBe('403 insufficient_scope');
    const read = await kit.call('GET', `/v1/reviews/${review.id}`, auditor.token);
    expect(read.body.review.comments[0].by).toEqual({ kind: 'person', id: outsider.id, name: outsider.name });

    for (const member of [outsider, author, auditor]) {
      expect(await act(member, review.id, 'cancel', {})).toBe('403 insufficient_scope');
    }
    expect(await act(ada, review.id, 'cancel', {})).toBe('200 cancelled');
    for (const [taker, expected] of [
      [outsider, '403 insufficient_scope'],
      [ada, '200 cancelled'],
      [owner, '200 cancelled'],
    ] as const) {
      const approved = (await openedFor(kit, 'approval')).review;
      await say(service, ada, approved);
      expect(await act(taker, approved.id, 'cancel', {})).toBe(expected);
    }
  });

  test('if an approval races with disabling its author, no allow comes after the disabling', async () => {
    const kit = await ready();
    const { service } = kit;
    const outcomes = new Set<string>();
    for (let round = 0; round < 10; round += 1) {
      const ada = await join(service, { groups: ['finance'] });
      const { review, intent } = await openedFor(kit, 'approval');
      const acts = [
        () => say(service, ada, review),
        () => kit.call('DELETE', `/v1/people/${ada.id}`, service.ownerKey),
      ];
      if (round % 2 === 1) acts.reverse();
      const replies = await Promise.all(acts.map((act) => act()));
      outcomes.add(replies.map(({ status }) => status).join());
      const item = { controlId: 'approval', source: 'review-desk', result: 'PASS' };
      const evidence = [{ ...item, evidenceRef: `urn:writecheck:review:${review.id}` }];
      expect((await kit.again(intent, evidence)).body.decision).toBe('pause');
      expect(await kit.read(review.id)).not.toHaveProperty('evidence');
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });

  test('if a check races with disabling the approver, the log has no allow after the disabling', async () => {
    const kit = await ready();
    const { service } = kit;
    for (let round = 0; round < 10; round += 1) {
      const ada = await join(service, { groups: ['finance'] });
      const { review, intent } = await openedFor(kit, 'approval');
      await say(service, ada, review);
      const { evidence } = await kit.read(review.id);
      const acts = [
        () => kit.again(intent, evidence),
        () => kit.call('DELETE', `/v1/people/${ada.id}`, service.ownerKey),
      ];
      if (round % 2 === 1) acts.reverse();
      await Promise.all(acts.map((act) => act()));
      const log = (await entriesOf(kit)).flatMap((entry) => {
        if (entry?.kind === 'person') return entry.person === ada.id ? [entry.event] : [];
        if (entry?.kind !== 'decision' || entry.leaf.intentDigest !== review.intentDigest) return [];
        return entry.leaf.decision === 'allow' ? ['allow'] : [];
      });
      expect(log.slice(2)).toEqual(log.includes('allow') ? ['allow', 'disabled'] : ['disabled']);
      expect((await kit.again(intent, evidence)).body.decision).toBe('pause');
    }
  });

  // The last test: the log then contains everything above.
  test('an auditor verifies every signed verdict offline', async () => {
    const kit = await ready();
    const { service } = kit;
    const ada = await join(service);
    await sign(service, ada, (await openedFor(kit, 'signed')).review);
    const keys = (await ask(`${service.url}/v1/audit/key`)).text;
    const verdict = await verdictOf(await exportOf(service), { keys, workspace: service.workspace });
    if (!verdict.ok) throw new Error(verdict.words);
    const [own] = verdict.passkeys.filter(({ person }) => person === ada.id);
    expect(own).toMatchObject({ credential: ada.device.credentialId, verdicts: 1 });
    expect(own?.invitedBy?.kind).toBe('owner_key');
    expect(verdict.passkeys.length).toBeGreaterThan(3);
  });
});

async function invitationOf(kit: ReviewKit, { id }: Member): Promise<string> {
  const { status, body } = await ask(`${kit.service.url}/v1/people/${id}/invitation`, {
    method: 'POST',
    key: kit.service.ownerKey,
  });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.invitation.url;
}

async function entriesOf({ service: { store } }: ReviewKit) {
  const segments = await store.segments(store.log, 0, 1_000_000);
  return segments.flatMap(({ entries }) => entries).map(({ leaf }) => parseEntry(leaf));
}

async function verdictEntries(kit: ReviewKit, review: string) {
  return (await entriesOf(kit)).flatMap((entry) =>
    entry?.kind === 'review' && entry.review === review && entry.event === 'verdict' ? [entry] : [],
  );
}

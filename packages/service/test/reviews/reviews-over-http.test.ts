/** Opening, reading and deciding reviews: statuses, shapes and the order of refusals, on both stores. */
import { DAY_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { ask, check, signUp } from '../ask.ts';
import { onBothStores, pack, REVIEWED } from './reviews-kit.ts';

onBothStores((kitNow) => {
  test('the loop: paused, opened, approved, asked again, allowed', async () => {
    const kit = kitNow();
    const { service } = kit;
    const { intent, decisionId, review, digest } = await kit.opened();
    expect(review).toMatchObject({
      state: 'open',
      decisionId,
      intentDigest: digest,
      keyKind: 'development',
      controls: [{ controlId: 'approval', groups: null, approvals: 1, identity: 'any', selfReview: false }],
      verdicts: [],
      comments: [],
      alsoNeeded: [],
      resolvedAt: null,
      validUntil: null,
    });
    expect(review.id).toMatch(/^rev_[0-9a-f]{32}$/);
    expect(review.url).toBe(`http://localhost:${new URL(service.url).port}/reviews/${review.id}`);
    expect(Date.parse(review.expiresAt) - Date.parse(review.openedAt)).toBe(DAY_MS);
    const approved = await kit.approve(review);
    expect(approved.status).toBe(200);
    expect(approved.body.review).toMatchObject({
      state: 'approved',
      verdicts: [{ verdict: 'approve', by: { kind: 'owner_key', name: 'owner' }, identity: 'any' }],
    });
    expect(approved.body.review).not.toHaveProperty('evidence');
    const { evidence, resolvedAt, validUntil } = await kit.read(review.id);
    expect(evidence).toEqual([
      {
        controlId: 'approval',
        source: 'review-desk',
        result: 'PASS',
        checkedAt: resolvedAt,
        expiresAt: validUntil,
        evidenceRef: `urn:writecheck:review:${review.id}`,
      },
    ]);
    expect((await kit.again(intent, evidence)).body.decision).toBe('allow');
    expect(await kit.read(review.id)).toMatchObject({ state: 'approved', because: 'used' });
  });

  test('a paused decision says that a person could resolve it', async () => {
    const kit = kitNow();
    const { intent } = await kit.pause();
    expect((await check(kit.service, intent)).body.review).toEqual({ controls: ['approval'] });
  });

  test('asking again for the same write returns the same review, and adds who asked', async () => {
    const kit = kitNow();
    const { intent, review } = await kit.opened();
    const other = await kit.newKey('development');
    const { body } = await check(kit.service, intent, { key: other.secret });
    const again = await kit.open(body.decision_id, other.secret, { onBehalfOf: 'ada@example.com' });
    expect([again.status, again.body.review.id]).toEqual([200, review.id]);
    expect(again.body.review.askedBy).toMatchObject([{ keyId: other.id, onBehalfOf: 'ada@example.com' }]);
    const seen = await kit.read(review.id, kit.service.ownerKey);
    expect(seen.askedBy).toHaveLength(2);
    expect(seen.decisionId).toBe(review.decisionId);
    expect((await kit.open(body.decision_id, other.secret)).body.review.askedBy).toHaveLength(1);
  });

  test('an owner opens on behalf of the key that made the decision', async () => {
    const kit = kitNow();
    const { decisionId } = await kit.pause();
    const { status, body } = await kit.open(decisionId, kit.service.ownerKey);
    expect(status).toBe(201);
    expect(body.review.askedBy).toHaveLength(1);
    expect((await kit.read(body.review.id)).id).toBe(body.review.id);
  });

  test('a checking key never learns who exists', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    await kit.call('POST', `/v1/reviews/${review.id}/comments`, kit.service.ownerKey, { text: 'why?' });
    await kit.reject(review);
    const text = JSON.stringify(await kit.read(review.id));
    expect(text).toContain('why?');
    expect(text).not.toContain('"by"');
    expect(text).not.toContain('"earlier"');
    const owner = await kit.read(review.id, kit.service.ownerKey);
    expect(owner).toMatchObject({ earlier: [], comments: [{ by: { kind: 'owner_key' } }] });
  });

  test('earlier reviews of similar writes are shown to owners, rejected ones first', async () => {
    const kit = kitNow();
    const { intent, review } = await kit.opened();
    await kit.reject(review);
    const { body } = await check(kit.service, { ...intent, metadata: { try: 2 } });
    const second = await kit.open(body.decision_id);
    expect(second.status).toBe(201);
    const { earlier } = await kit.read(second.body.review.id, kit.service.ownerKey);
    expect(earlier).toMatchObject([{ id: review.id, state: 'rejected' }]);
  });

  test('a decision that no person can resolve is not reviewable, and the response says what is needed', async () => {
    const kit = kitNow();
    const failed = await kit.pause({
      controlEvidence: [{ controlId: 'approval', source: 'desk', result: 'FAIL' }],
    });
    const refused = await kit.open(failed.decisionId);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'not_reviewable']);
    expect(refused.body.error.details.length).toBeGreaterThan(0);
    const allowed = await kit.pause({
      controlEvidence: [{ controlId: 'approval', source: 'desk', result: 'PASS' }],
    });
    const needless = (await kit.open(allowed.decisionId)).body.error;
    expect([needless.code, needless.details[0].message]).toEqual([
      'not_reviewable',
      expect.stringContaining('no review is needed'),
    ]);
    const old = await kit.pause();
    kit.nowMs += DAY_MS;
    expect((await kit.open(old.decisionId)).body.error.code).toBe('not_reviewable');
  });

  test('only the key that made the decision, one it was rotated into, or an owner may open', async () => {
    const kit = kitNow();
    const key = await kit.newKey('development');
    const { decisionId } = await kit.pause({}, key.secret);
    const stranger = await kit.open(decisionId, kit.service.developmentKey);
    expect([stranger.status, stranger.body.error.code]).toEqual([404, 'not_found']);
    const rotate = (id: string) => kit.call('POST', `/v1/keys/${id}/rotate`, kit.service.ownerKey, {});
    const second = (await rotate(key.id)).body;
    const third = (await rotate(second.key.id)).body;
    const opened = await kit.open(decisionId, third.secret);
    expect([opened.status, opened.body.review.askedBy]).toMatchObject([201, [{ keyId: key.id }]]);
    for (const secret of [key.secret, second.secret, third.secret]) {
      expect((await kit.read(opened.body.review.id, secret)).id).toBe(opened.body.review.id);
    }
    const listed = await kit.call('GET', '/v1/reviews', third.secret);
    expect(listed.body.reviews).toHaveLength(1);
  });

  test('a key outside its systems opens nothing', async () => {
    const kit = kitNow();
    const key = await kit.newKey('development', { allowedSystems: ['erp'] });
    const { decisionId } = await kit.pause({ system: 'erp' }, key.secret);
    expect((await kit.open(decisionId, key.secret)).status).toBe(201);
    const { decisionId: elsewhere } = await kit.pause();
    expect((await kit.open(elsewhere, key.secret)).status).toBe(404);
  });

  test('reviews of another workspace do not exist', async () => {
    const kit = kitNow();
    const { decisionId, review } = await kit.opened();
    const other = await signUp(kit.service);
    const { id, intentDigest } = review;
    const calls = [
      ['POST', '/v1/reviews', { decision_id: decisionId }],
      ['GET', `/v1/reviews/${id}`, undefined],
      ['POST', `/v1/reviews/${id}/cancel`, {}],
      ['POST', `/v1/reviews/${id}/comments`, { text: 'x' }],
      ['POST', `/v1/reviews/${id}/verdicts`, { verdict: 'approve', intentDigest }],
      ['DELETE', `/v1/reviews/${id}/verdicts/mine`, undefined],
    ] as const;
    for (const [method, path, json] of calls) {
      const { status, body } = await kit.call(method, path, other.ownerKey, json);
      expect([path, status, body.error.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await kit.call('GET', '/v1/reviews', other.ownerKey)).body.reviews).toEqual([]);
  });

  test('verdicts are refused in the published order', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    const path = `/v1/reviews/${review.id}/verdicts`;
    const send = async (key: string | null, json: unknown, to = path) => {
      const reply = await ask(kit.service.url + to, { json, ...(key === null ? {} : { key }) });
      return `${reply.status} ${reply.body.error?.code ?? 'ok'}`;
    };
    const { ownerKey, developmentKey } = kit.service;
    const wrong = { verdict: 'maybe' };
    const other = { verdict: 'approve', intentDigest: `sha256:${'0'.repeat(64)}` };
    const nowhere = `/v1/reviews/rev_${'0'.repeat(32)}/verdicts`;
    expect(await send(null, wrong, nowhere)).toBe('401 missing_key');
    expect(await send(developmentKey, wrong, nowhere)).toBe('403 insufficient_scope');
    expect(await send(ownerKey, wrong, nowhere)).toBe('422 invalid_request');
    expect(await send(ownerKey, { ...other, verdict: 'reject' }, nowhere)).toBe('422 invalid_request');
    expect(await send(ownerKey, other, nowhere)).toBe('404 not_found');
    expect(await send(ownerKey, other)).toBe('422 invalid_request');
    const assertion = { id: 'a', clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' };
    const right = { verdict: 'approve', intentDigest: review.intentDigest };
    expect(await send(ownerKey, { ...right, assertion })).toBe('422 assertion_invalid');
    expect(await send(ownerKey, right)).toBe('200 ok');
    expect(await send(ownerKey, other)).toBe('409 review_closed');
  });

  test('a reject requires a comment, and 2,000 characters are the maximum', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    const reject = (comment?: string) =>
      kit.call('POST', `/v1/reviews/${review.id}/verdicts`, kit.service.ownerKey, {
        verdict: 'reject',
        intentDigest: review.intentDigest,
        comment,
      });
    for (const comment of [undefined, '', '\u{1f600}'.repeat(2_001)]) {
      expect((await reject(comment)).status).toBe(422);
    }
    const { status, body } = await reject('\u{1f600}'.repeat(2_000));
    expect([status, body.review.state]).toEqual([200, 'rejected']);
  });

  test('a live key and a development key have separate reviews', async () => {
    const kit = kitNow();
    const { intent, review, evidence } = await kit.approved();
    const { body } = await check(kit.service, intent, { key: kit.service.liveKey });
    const live = await kit.open(body.decision_id, kit.service.liveKey);
    expect([live.status, live.body.review.keyKind]).toEqual([201, 'live']);
    expect(live.body.review.id).not.toBe(review.id);
    const used = await kit.again(intent, evidence, { key: kit.service.liveKey });
    expect(used.body).toMatchObject({ decision: 'pause', reason_code: 'CONTROL_EVIDENCE_UNTRUSTED' });
    expect((await kit.again(intent, evidence)).body.decision).toBe('allow');
  });

  test('cancelling: who may, what stays, and what it returns', async () => {
    const kit = kitNow();
    const { developmentKey, ownerKey } = kit.service;
    const cancel = (id: string, key: string, json?: object) =>
      kit.call('POST', `/v1/reviews/${id}/cancel`, key, json);
    const { review: open } = await kit.opened();
    const cancelled = await cancel(open.id, developmentKey, { reason: 'found another way' });
    expect([cancelled.status, cancelled.body.review]).toMatchObject([
      200,
      { state: 'cancelled', because: 'cancelled', comments: [{ text: 'found another way' }] },
    ]);
    expect((await cancel(open.id, developmentKey)).status).toBe(200);
    const { review: approved } = await kit.approved();
    const forbidden = await cancel(approved.id, developmentKey);
    expect([forbidden.status, forbidden.body.error.code]).toEqual([403, 'insufficient_scope']);
    const taken = await cancel(approved.id, ownerKey);
    expect(taken.body.review).toMatchObject({ state: 'cancelled', resolvedAt: approved.resolvedAt });
    const { review: rejected } = await kit.opened();
    await kit.reject(rejected);
    expect((await cancel(rejected.id, ownerKey)).body.error.code).toBe('review_closed');
  });

  test('an open review says when to read it again, a closed one does not', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    const retryAfter = async () => {
      const { headers } = await kit.call('GET', `/v1/reviews/${review.id}`, kit.service.developmentKey);
      return headers.get('retry-after');
    };
    expect(await retryAfter()).toBe('2');
    await kit.reject(review);
    expect(await retryAfter()).toBeNull();
  });

  test('comments are 201, while the review is open', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    const say = (key: string, text: string) =>
      kit.call('POST', `/v1/reviews/${review.id}/comments`, key, { text });
    expect((await say(kit.service.developmentKey, 'please')).status).toBe(201);
    expect((await say(kit.service.ownerKey, 'why?')).body.review.comments).toHaveLength(2);
    expect((await say(kit.service.ownerKey, '')).status).toBe(422);
    await kit.reject(review);
    expect((await say(kit.service.ownerKey, 'x')).body.error.code).toBe('review_closed');
  });

  test('an approval is withdrawn while the review is open', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    const withdraw = () => kit.call('DELETE', `/v1/reviews/${review.id}/verdicts/mine`, kit.service.ownerKey);
    expect((await withdraw()).body.error.code).toBe('not_found');
    await kit.approve(review);
    expect((await withdraw()).body.error.code).toBe('review_closed');
  });

  test('a review expires at its time, and is then closed', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    kit.nowMs = Date.parse(review.expiresAt);
    expect((await kit.approve(review)).body.error.code).toBe('review_closed');
    expect(await kit.read(review.id)).toMatchObject({ state: 'expired', resolvedAt: review.expiresAt });
    const listed = await kit.call('GET', '/v1/reviews?state=open', kit.service.ownerKey);
    expect(listed.body.reviews.map(({ id }: { id: string }) => id)).not.toContain(review.id);
  });

  test('lists filter, page, and show what waits for me', async () => {
    const kit = kitNow();
    const { ownerKey, developmentKey } = kit.service;
    const system = 'lists';
    const first = await kit.opened({ system });
    kit.nowMs += 1_000;
    const second = await kit.opened({ system });
    const third = await kit.opened({ system });
    await kit.reject(third.review);
    const ids = async (query: string, key = ownerKey) => {
      const { status, body } = await kit.call('GET', `/v1/reviews?system=${system}${query}`, key);
      expect(status).toBe(200);
      return body.reviews.map(({ id }: { id: string }) => id);
    };
    expect(await ids('')).toEqual([first.review.id, second.review.id, third.review.id]);
    expect(await ids('&state=rejected')).toEqual([third.review.id]);
    expect(await ids('&for=me')).toEqual([first.review.id, second.review.id]);
    expect(await ids('&for=me&state=rejected')).toEqual([]);
    expect(await ids(`&intentDigest=${second.digest}`, developmentKey)).toEqual([second.review.id]);
    expect(await ids('&controlId=approval&limit=1')).toEqual([first.review.id]);
    expect(await ids('&controlId=other')).toEqual([]);
    const page = await kit.call('GET', `/v1/reviews?system=${system}&limit=2`, ownerKey);
    expect(await ids(`&limit=2&cursor=${page.body.nextCursor}`)).toEqual([third.review.id]);
    const other = await kit.newKey('development');
    expect(await ids('', other.secret)).toEqual([]);
    for (const query of ['for=you', 'limit=0', 'limit=201', 'state=x', 'cursor=x', 'what=1']) {
      expect((await kit.call('GET', `/v1/reviews?${query}`, ownerKey)).status, query).toBe(422);
    }
    expect((await kit.call('GET', '/v1/reviews?for=me', developmentKey)).status).toBe(422);
    // A review that this read closes is no longer among the open ones, and comes on one page only.
    kit.nowMs = Date.parse(first.review.expiresAt);
    expect(await ids('')).toEqual([second.review.id, first.review.id, third.review.id]);
    kit.nowMs = Date.parse(second.review.expiresAt);
    expect(await ids('&state=expired')).toEqual([second.review.id, first.review.id]);
  });

  test('texts of the caller have limits', async () => {
    const kit = kitNow();
    const { decisionId } = await kit.pause();
    for (const members of [
      { justification: 'x'.repeat(2_001) },
      { onBehalfOf: 'x'.repeat(257) },
      { externalRef: 'ftp://example.com' },
      { externalRef: 'javascript:alert(1)' },
      { externalRef: `https://example.com/${'x'.repeat(1_024)}` },
      { externalRef: 'https://exa\u202emple.com' },
      { extra: 1 },
    ]) {
      const { status, body } = await kit.open(decisionId, kit.service.developmentKey, members);
      expect([members, status, body.error.code]).toEqual([members, 422, 'invalid_request']);
    }
    const said = {
      justification: 'a'.repeat(2_000),
      onBehalfOf: 'ada@example.com',
      externalRef: 'https://example.com/t/1',
    };
    expect((await kit.open(decisionId, kit.service.developmentKey, said)).body.review.askedBy).toMatchObject([
      said,
    ]);
  });

  test('a key opens at most 60 reviews an hour, and has at most 60 open', async () => {
    const kit = kitNow();
    const key = await kit.newKey('live');
    const opened: string[] = [];
    for (let i = 0; i < 60; i += 1) opened.push((await kit.opened({}, key.secret)).review.id);
    const { decisionId } = await kit.pause({}, key.secret);
    const refused = await kit.open(decisionId, key.secret);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await kit.call('POST', `/v1/reviews/${opened[0]}/cancel`, key.secret);
    expect((await kit.open(decisionId, key.secret)).status).toBe(429);
    kit.nowMs += 60 * 60 * 1_000 + 1;
    const later = await kit.pause({}, key.secret);
    expect((await kit.open(later.decisionId, key.secret)).status).toBe(201);
  });

  test('`review-desk` is not revoked as evidence: its review is cancelled', async () => {
    const kit = kitNow();
    const { status, body } = await kit.call('POST', '/v1/evidence/revocations', kit.service.ownerKey, {
      source: 'review-desk',
      jti: `rev_${'0'.repeat(32)}`,
    });
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
  });

  // The last test: a bundle exists from here on.
  test('a change of the rules outdates reviews, whoever notices first', async () => {
    const kit = kitNow();
    const [read, voted, reasked] = await Promise.all([kit.opened(), kit.opened(), kit.opened()]);
    const { review: approved, evidence, intent } = await kit.approved();
    await kit.applyPolicy([pack({ approval: { ...REVIEWED, review: { identity: 'any', holdsFor: '2h' } } })]);
    expect(await kit.read(read.review.id)).toMatchObject({ state: 'cancelled', because: 'outdated' });
    expect((await kit.approve(voted.review)).body.error.code).toBe('review_closed');
    expect(await kit.read(voted.review.id)).toMatchObject({ state: 'cancelled', because: 'outdated' });
    expect((await kit.open(reasked.decisionId)).body.error.code).toBe('not_reviewable');
    const { body } = await check(kit.service, reasked.intent);
    expect((await kit.open(body.decision_id)).status).toBe(201);
    expect(await kit.read(approved.id)).toMatchObject({ state: 'approved', because: 'outdated' });
    expect((await kit.again(intent, evidence)).body.reason_code).toBe('CONTROL_EVIDENCE_UNTRUSTED');
  });

  test('verdicts require groups and identity', async () => {
    const kit = kitNow();
    await kit.applyPolicy([
      pack({
        approval: { assurance: 'attested', review: true },
        dual: { assurance: 'attested', review: { groups: ['finance'] } },
      }),
    ]);
    const weak = await kit.opened();
    expect((await kit.approve(weak.review)).body.error.code).toBe('identity_too_weak');
    const grouped = await kit.opened({ requiredControls: ['dual'] });
    expect((await kit.approve(grouped.review)).body.error.code).toBe('not_a_reviewer');
  });

  // The last test: from here on a mismatch blocks.
  test('a block cannot be reviewed, and the refusal says what it needs', async () => {
    const kit = kitNow();
    const profile = { kind: 'Profile', id: 'p', match: { system: 'crm' }, authority: { required: true } };
    await kit.applyPolicy([{ ...profile, writePolicy: 'block_on_mismatch' }]);
    const { decisionId } = await kit.pause({
      ...{ authorityFound: true, authorityValue: 'eve@example.com', authoritySource: 'erp' },
      requiredControls: [],
    });
    const { error } = (await kit.open(decisionId)).body;
    expect([error.code, error.message]).toEqual([
      'not_reviewable',
      'no person can resolve this block; see what it needs',
    ]);
    expect(error.details[0].message).toMatch(/^correct: /);
  });
});

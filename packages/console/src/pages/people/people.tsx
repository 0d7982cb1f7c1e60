/** The people of the workspace: invite, change, reset and disable. */

import type { Invitation, Person } from '@writecheck/api';
import type { Answered } from '@writecheck/api/calls';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { listKeys } from '../../calls/keys.ts';
import { listPeople, type PersonWish } from '../../calls/people.ts';
import { listDecided } from '../../calls/reviews.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { counted } from '../../components/counted.ts';
import { ACTIONS, DataTable } from '../../components/data-table.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { FormSheet } from '../../components/form-sheet.tsx';
import { Moment } from '../../components/moment.tsx';
import { Empty, Loaded, PageHead, Section } from '../../components/page.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { CallerText, RevealedText } from '../../components/text.tsx';
import { joined, mapped } from '../../replies.ts';
import { href } from '../../state/route.ts';
import { useRight, useSession } from '../../state/session.ts';
import { useAct } from '../../use-act.ts';
import { useLoad } from '../../use-load.ts';
import { useNewAsked } from '../../use-new-asked.ts';
import { PersonFields } from './person-form.tsx';

const NOBODY: PersonWish = { name: '', roles: ['reviewer'], groups: [] };

interface Wish {
  readonly kind: 'change' | 'invite' | 'disable';
  readonly person: Person;
}

export default function People() {
  const load = useLoad('people', listPeople);
  const mayManage = useRight('createPerson');
  const self = useSession()?.person?.id;
  const [wish, setWish] = useState<Wish | null>(null);
  const [fields, setFields] = useState<PersonWish>(NOBODY);
  const [issued, setIssued] = useState<{ readonly name: string; readonly invitation: Invitation } | null>(
    null,
  );
  const { isBusy, failure, act, forget } = useAct();
  const [isInviting, setIsInviting] = useState(false);
  useNewAsked(() => setIsInviting(mayManage));
  const [left, setLeft] = useState<KeysLeft | null>(null);
  const ask = (kind: Wish['kind'], person: Person) => {
    forget();
    setFields({ name: person.name, roles: person.roles, groups: person.groups });
    setWish({ kind, person });
  };
  const confirm = async ({ kind, person }: Wish) => {
    const { id, name } = person;
    const of = { in: { id } };
    const done = () => setWish(null);
    if (kind === 'invite')
      await act(call('POST /v1/people/{id}/invitation', of), ({ invitation }) => {
        done();
        setIssued({ name, invitation });
      });
    else if (kind === 'disable')
      await act(call('DELETE /v1/people/{id}', of), (keysLeft) => {
        done();
        setLeft(keysLeft);
      });
    else await act(call('PATCH /v1/people/{id}', { ...of, json: changedIn(fields, person) }), done);
    load.reload();
  };
  return (
    <div class="page">
      <PageHead
        title="People"
        lead="People sign in with a passkey or your identity provider. Invite reviewers instead of sharing an owner key."
      >
        {mayManage && (
          <button type="button" class="primary" onClick={() => setIsInviting(true)}>
            Invite a person
          </button>
        )}
      </PageHead>
      {left !== null && <LeftKeys {...left} />}
      {issued !== null && (
        <ShownOnce
          title={<RevealedText text={`Send this link to ${issued.name}`} />}
          secret={issued.invitation.url}
          what="the invitation"
          done="Done"
          onDone={() => setIssued(null)}
        >
          You won’t see it again. It works once, until <Moment at={issued.invitation.expiresAt} as="full" />.
        </ShownOnce>
      )}
      <Loaded load={load} lines={6}>
        {({ people, changes }) =>
          people.length === 0 ? (
            <Empty title="Nobody yet">
              {mayManage ? 'Invite the first person.' : 'Only owners can invite people.'}
            </Empty>
          ) : (
            <PeopleTable
              people={people}
              removed={
                new Set(changes.filter(({ event }) => event === 'removed').map(({ personId }) => personId))
              }
              onAsk={mayManage ? ask : null}
            />
          )
        }
      </Loaded>
      {isInviting && (
        <Invite
          onInvited={(name, invitation) => {
            setIssued({ name, invitation });
            load.reload();
          }}
          onClose={() => setIsInviting(false)}
        />
      )}
      {wish !== null && (
        <AskFirst
          title={
            <RevealedText
              text={
                isReset(wish)
                  ? `Reset the passkey of ${wish.person.name}?`
                  : `${wordsOf(wish)}${wish.kind === 'change' ? '' : '?'}`
              }
            />
          }
          action={isReset(wish) ? 'Reset passkey' : TITLES[wish.kind]}
          isDangerous={wish.kind === 'disable'}
          isBusy={isBusy}
          onConfirm={() => confirm(wish)}
          onCancel={() => setWish(null)}
        >
          {wish.kind === 'change' ? (
            <PersonFields wish={fields} onChange={setFields} isOneself={wish.person.id === self} />
          ) : wish.kind === 'disable' ? (
            <Leaving person={wish.person} />
          ) : (
            <p>
              {wish.person.state === 'invited'
                ? 'The earlier invitation stops working.'
                : 'They sign in again with a new link. Their passkeys and unused approvals no longer count.'}
            </p>
          )}
          <ErrorNote failure={failure} />
        </AskFirst>
      )}
    </div>
  );
}

/** Another owner may have changed the other members meanwhile. */
function changedIn(fields: PersonWish, person: Person): Partial<PersonWish> {
  const isChanged = ([member, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(person[member as keyof PersonWish]);
  return Object.fromEntries(Object.entries(fields).filter(isChanged));
}

const COUNTED_MAX = 200;

/** What stops with somebody who leaves, in numbers. */
function Leaving({ person: { id } }: { readonly person: Person }) {
  const { value } = useLoad(`leaving ${id}`, async (signal) => {
    const read = await joined([
      listKeys(signal),
      listDecided(COUNTED_MAX, signal, ({ by }) => by?.id === id),
    ]);
    return mapped(read, ([{ keys }, theirs]) => ({
      held: keys.filter(({ heldBy, revokedAt }) => heldBy === id && revokedAt === null).length,
      open: theirs.filter(({ state }) => state === 'open').length,
      unused: theirs.filter(({ state, because }) => state === 'approved' && because === undefined).length,
    }));
  });
  return (
    <>
      <p>
        Their sessions end immediately, and keys they hold stop working. Verdicts on open reviews and unused
        approvals no longer count.
      </p>
      {value !== null && (
        <p>
          {counted(value.held, 'key')} held, {counted(value.open, 'verdict')} on open reviews,{' '}
          {counted(value.unused, 'unused approval')}.
        </p>
      )}
    </>
  );
}

type KeysLeft = NonNullable<Answered<'DELETE /v1/people/{id}'>>;

function LeftKeys({ person, keys }: KeysLeft) {
  return (
    <Section title={<RevealedText text={`${person.name} made keys that still work`} />}>
      <ul>
        {keys.map((key) => (
          <li key={key.id}>
            <RevealedText text={key.name} /> <span class="quiet">{key.kind}</span> <code>{key.hint}</code>
          </li>
        ))}
      </ul>
      <p>
        <a href={href('/keys')}>Revoke the ones you no longer trust</a>
      </p>
    </Section>
  );
}

const TITLES = { change: 'Change', invite: 'Invite again', disable: 'Disable' } as const;

function wordsOf({ kind, person: { name } }: Wish): string {
  return kind === 'invite' ? `Invite ${name} again` : `${TITLES[kind]} ${name}`;
}

/** Inviting somebody who has signed in resets how they do it. */
function isReset({ kind, person: { state } }: Wish): boolean {
  return kind === 'invite' && state === 'active';
}

function wordFor(kind: Wish['kind'], person: Person): string {
  return `${isReset({ kind, person }) ? 'Reset passkey' : TITLES[kind]} …`;
}

function PeopleTable({
  people,
  removed,
  onAsk,
}: {
  readonly people: readonly Person[];
  /** The ids of those who are gone for good. */
  readonly removed: ReadonlySet<string>;
  /** Null if the user may change nobody. */
  readonly onAsk: ((kind: Wish['kind'], person: Person) => void) | null;
}) {
  return (
    <DataTable
      kind="panel stacks"
      caption="People"
      rows={people}
      idOf={({ id }) => id}
      columns={[
        {
          head: 'Person',
          isName: true,
          cell: (person) => (
            <>
              <CallerText text={person.name} />{' '}
              {person.state !== 'active' && <span class="tag">{person.state}</span>}
              <span class="key-line small-text quiet">
                <CallerText text={person.email} />
              </span>
            </>
          ),
        },
        {
          head: 'Roles',
          kind: 'small-text',
          cell: ({ roles, groups }) => (
            <>
              <span class="phone-only quiet">Roles: </span>
              {roles.join(', ')}
              {groups.length > 0 && (
                <span class="key-line quiet">
                  <span class="phone-only">Groups: </span>
                  <CallerText text={groups.join(', ')} />
                </span>
              )}
            </>
          ),
        },
        {
          head: 'Last seen',
          kind: 'wide-only small-text',
          cell: ({ lastSeenAt, signIn }) => (
            <>
              {lastSeenAt === null ? <span class="quiet">never</span> : <Moment at={lastSeenAt} as="ago" />}
              {signIn.length > 0 && <span class="key-line quiet">{signIn.join(', ')}</span>}
            </>
          ),
        },
        {
          ...ACTIONS,
          cell: (person) => (
            <RowMenu
              of={person.name}
              actions={(['change', 'invite', 'disable'] as const)
                .filter((kind) => person.state !== 'disabled' || kind === 'invite')
                .filter(() => onAsk !== null && !removed.has(person.id))
                .map((kind) => ({
                  label: wordFor(kind, person),
                  isDangerous: kind === 'disable',
                  onChoose: () => onAsk?.(kind, person),
                }))}
            />
          ),
        },
      ]}
    />
  );
}

function Invite({
  onInvited,
  onClose,
}: {
  readonly onInvited: (name: string, invitation: Invitation) => void;
  readonly onClose: () => void;
}) {
  const [wish, setWish] = useState<PersonWish>(NOBODY);
  const [email, setEmail] = useState('');
  return (
    <FormSheet
      title="Invite a person"
      action="Create invitation"
      isReady={wish.roles.length > 0}
      send={() => call('POST /v1/people', { json: { ...wish, email: email.trim() } })}
      onDone={({ person, invitation }) => onInvited(person.name, invitation)}
      onClose={onClose}
    >
      <TextField label="E-mail address" type="email" required value={email} onInput={setEmail} />
      <PersonFields wish={wish} onChange={setWish} />
    </FormSheet>
  );
}

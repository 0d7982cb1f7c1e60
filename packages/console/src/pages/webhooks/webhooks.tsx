/** Webhooks: where events are sent, whether they arrive, and their secrets. */
import type { Webhook } from '@writecheck/api';
import { EVENT_SENTENCES } from '@writecheck/contract';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Reply } from '../../api.ts';
import { isFailing, listWebhooks, stateInWords } from '../../calls/webhooks.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Choice, TextField } from '../../components/field.tsx';
import { FormSheet } from '../../components/form-sheet.tsx';
import { Moment } from '../../components/moment.tsx';
import { Empty, Loaded, PageHead } from '../../components/page.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { CallerText } from '../../components/text.tsx';
import { useRight } from '../../state/session.ts';
import { useAct } from '../../use-act.ts';
import { useLoad } from '../../use-load.ts';
import { Deliveries } from './deliveries.tsx';
import { EventChoices } from './event-choices.tsx';

const BECAUSE = {
  owner: '',
  gone: 'the endpoint responded with 410',
  failing: 'ten attempts to deliver a message failed',
} as const;

const FORMATS = [
  ['standard', 'Standard Webhooks'],
  ['slack', 'Slack message'],
] as const;

interface Saved {
  readonly webhook: Webhook;
  /** Of a new one. */
  readonly secret?: string;
}

export default function Webhooks() {
  const load = useLoad('webhooks', listWebhooks);
  const [secret, setSecret] = useState<string | null>(null);
  const { isBusy, failure, act: send } = useAct();
  const [editing, setEditing] = useState<Webhook | 'new' | null>(null);
  const [leaving, setLeaving] = useState<Webhook | null>(null);
  const act = async <T,>(sent: Promise<Reply<T>>, done?: (value: T) => void) => {
    await send(sent, done);
    load.reload();
  };
  const mayManage = useRight('createWebhook');
  return (
    <div class="page">
      <PageHead
        title="Webhooks"
        lead="Writecheck sends events to your systems, signed and retried. Messages carry no values."
      >
        {mayManage && (
          <button type="button" class="primary" onClick={() => setEditing('new')}>
            Add a webhook
          </button>
        )}
      </PageHead>
      <ErrorNote failure={failure} />
      {secret !== null && (
        <ShownOnce
          title="Save this secret now"
          secret={secret}
          what="the secret"
          onDone={() => setSecret(null)}
        >
          You won’t see it again. Your receiver verifies signatures with it.
        </ShownOnce>
      )}
      <Loaded load={load} lines={5}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title="No webhooks">
              {mayManage
                ? 'Add one to hear about paused writes and reviews.'
                : 'Only owners can add webhooks.'}
            </Empty>
          ) : (
            webhooks.map((webhook) => {
              const { id, state } = webhook;
              const of = { in: { id } };
              const change = { state: state === 'active' ? 'disabled' : 'active' } as const;
              return (
                <WebhookCard
                  key={id}
                  webhook={webhook}
                  isBusy={isBusy}
                  onAgain={(delivery) =>
                    act(
                      call('POST /v1/webhooks/{id}/deliveries/{delivery}/redeliver', {
                        in: { id, delivery },
                      }),
                    )
                  }
                >
                  {mayManage && (
                    <div class="row">
                      {[
                        { word: 'Send a test', run: () => act(call('POST /v1/webhooks/{id}/test', of)) },
                        {
                          word: state === 'active' ? 'Disable' : 'Enable',
                          run: () => act(call('PATCH /v1/webhooks/{id}', { ...of, json: change })),
                        },
                        { word: 'Change', run: () => setEditing(webhook), isCalm: true },
                        {
                          word: 'Rotate secret',
                          run: () =>
                            act(call('POST /v1/webhooks/{id}/rotate', of), (made) => setSecret(made.secret)),
                        },
                        { word: 'Delete', run: () => setLeaving(webhook), isCalm: true },
                      ].map(({ word, run, isCalm = false }) => (
                        <button
                          key={word}
                          type="button"
                          class="small"
                          disabled={isBusy && !isCalm}
                          onClick={run}
                        >
                          {word}
                        </button>
                      ))}
                    </div>
                  )}
                </WebhookCard>
              );
            })
          )
        }
      </Loaded>
      {editing !== null && (
        <WebhookForm
          of={editing === 'new' ? null : editing}
          onDone={(saved) => {
            setSecret(saved.secret ?? null);
            load.reload();
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {leaving !== null && (
        <AskFirst
          title="Delete this webhook?"
          action="Delete"
          isDangerous
          isBusy={isBusy}
          onConfirm={() => {
            setLeaving(null);
            act(call('DELETE /v1/webhooks/{id}', { in: { id: leaving.id } }));
          }}
          onCancel={() => setLeaving(null)}
        >
          <p>
            Events no longer go to <CallerText text={leaving.url} />. Waiting deliveries are dropped.
          </p>
        </AskFirst>
      )}
    </div>
  );
}

function WebhookCard({
  webhook,
  isBusy,
  onAgain,
  children,
}: {
  readonly webhook: Webhook;
  readonly isBusy: boolean;
  readonly onAgain: (delivery: string) => void;
  /** What the user may do with it. */
  readonly children: ComponentChildren;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section class="card" aria-labelledby={webhook.id}>
      <h2 id={webhook.id} class="wrapped">
        <CallerText text={webhook.description || webhook.url} />{' '}
        {webhook.state === 'active' && isFailing(webhook) ? (
          <span class="chip failing">failing</span>
        ) : (
          <span class={`chip ${webhook.state === 'active' ? 'running' : ''}`}>{webhook.state}</span>
        )}
      </h2>
      {webhook.description && (
        <p class="small-text quiet wrapped">
          <CallerText text={webhook.url} />
        </p>
      )}
      {webhook.disabledBecause !== null && webhook.disabledBecause !== 'owner' && (
        <p class="note note-bad">Disabled: {BECAUSE[webhook.disabledBecause]}.</p>
      )}
      <p class="small-text">
        {webhook.events.map((event) => (
          <span key={event} class="chip plain-chip" title={event}>
            {EVENT_SENTENCES[event]}
          </span>
        ))}{' '}
        <span class="quiet">format {webhook.format}</span>
      </p>
      <p class={`small-text ${isFailing(webhook) ? 'failing' : 'quiet'}`}>
        {webhook.lastDelivery === null ? (
          'Nothing was sent yet.'
        ) : (
          <>
            Last: {EVENT_SENTENCES[webhook.lastDelivery.type]}, {stateInWords(webhook.lastDelivery)},{' '}
            <Moment at={webhook.lastDelivery.at} as="ago" />
          </>
        )}
      </p>
      {children}
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>Deliveries</summary>
        {isOpen && <Deliveries id={webhook.id} isBusy={isBusy} onAgain={onAgain} />}
      </details>
    </section>
  );
}

function WebhookForm({
  of,
  onDone,
  onClose,
}: {
  /** Null for a new one. */
  readonly of: Webhook | null;
  readonly onDone: (saved: Saved) => void;
  readonly onClose: () => void;
}) {
  const [url, setUrl] = useState(of?.url ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [events, setEvents] = useState<Webhook['events']>(of?.events ?? ['review.opened']);
  const [format, setFormat] = useState<Webhook['format']>(of?.format ?? 'standard');
  const send = (): Promise<Reply<Saved>> => {
    const json = { url: url.trim(), events, format, description: description.trim() };
    return of === null
      ? call('POST /v1/webhooks', { json })
      : call('PATCH /v1/webhooks/{id}', { in: { id: of.id }, json });
  };
  return (
    <FormSheet
      title={of === null ? 'Add a webhook' : 'Change this webhook'}
      action={of === null ? 'Add webhook' : 'Save'}
      isReady={events.length > 0}
      placed={['/url', '/description']}
      send={send}
      onDone={onDone}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          <TextField
            label="Name"
            hint="what it is for"
            maxLength={256}
            value={description}
            fault={faultOf('/description')}
            placeholder="e.g. finance channel"
            onInput={setDescription}
          />
          <TextField
            label="URL"
            type="url"
            required
            value={url}
            fault={faultOf('/url')}
            placeholder="https://example.com/hooks/writecheck"
            onInput={setUrl}
          />
          <EventChoices chosen={events} onChange={setEvents} />
          <Choice label="Format" value={format} options={FORMATS} onChange={setFormat} />
        </>
      )}
    </FormSheet>
  );
}

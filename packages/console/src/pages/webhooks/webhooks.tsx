/** Webhooks: where events are sent, whether they arrive, and their secrets. */
import type { Webhook } from '@writecheck/api';
import type { Answered } from '@writecheck/api/calls';
import { WEBHOOK_TITLES } from '@writecheck/contract';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Failure, Reply } from '../../api.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  isFailing,
  listWebhooks,
  redeliver,
  rotateSecret,
  stateInWords,
  testWebhook,
} from '../../calls/webhooks.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { FormSheet } from '../../components/form-sheet.tsx';
import { Moment } from '../../components/moment.tsx';
import { Empty, Loaded, PageHead } from '../../components/page.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { CallerText } from '../../components/text.tsx';
import { useRight } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { Deliveries } from './deliveries.tsx';
import { EventChoices } from './event-choices.tsx';

const BECAUSE = {
  owner: '',
  gone: 'the endpoint responded with 410',
  failing: 'ten attempts to deliver a message failed',
} as const;

export default function Webhooks() {
  const load = useLoad('webhooks', listWebhooks);
  const [secret, setSecret] = useState<Answered<'POST /v1/webhooks'> | null>(null);
  const [refused, setRefused] = useState<Failure | null>(null);
  const [editing, setEditing] = useState<Webhook | 'new' | null>(null);
  const [leaving, setLeaving] = useState<Webhook | null>(null);
  const act = async (change: () => Promise<Reply<unknown>>) => {
    setRefused(null);
    const outcome = await change();
    if (outcome.kind === 'failure') setRefused(outcome);
    load.reload();
  };
  const rotate = async (id: string) => {
    setRefused(null);
    const outcome = await rotateSecret(id);
    if (outcome.kind === 'failure') setRefused(outcome);
    else setSecret(outcome.value);
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
      <ErrorNote failure={refused} />
      {secret !== null && (
        <ShownOnce
          title="Save this secret now"
          secret={secret.secret}
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
            webhooks.map((webhook) => (
              <WebhookCard
                key={webhook.id}
                webhook={webhook}
                onAgain={(delivery) => act(() => redeliver(webhook.id, delivery))}
              >
                {mayManage && (
                  <div class="row">
                    <button type="button" class="small" onClick={() => act(() => testWebhook(webhook.id))}>
                      Send a test
                    </button>
                    <button
                      type="button"
                      class="small"
                      onClick={() =>
                        act(() =>
                          changeWebhook(webhook.id, {
                            state: webhook.state === 'active' ? 'disabled' : 'active',
                          }),
                        )
                      }
                    >
                      {webhook.state === 'active' ? 'Disable' : 'Enable'}
                    </button>
                    <button type="button" class="small" onClick={() => setEditing(webhook)}>
                      Change
                    </button>
                    <button type="button" class="small" onClick={() => rotate(webhook.id)}>
                      Rotate secret
                    </button>
                    <button type="button" class="small" onClick={() => setLeaving(webhook)}>
                      Delete
                    </button>
                  </div>
                )}
              </WebhookCard>
            ))
          )
        }
      </Loaded>
      {editing !== null && (
        <WebhookForm
          of={editing === 'new' ? null : editing}
          onDone={(made) => {
            setSecret(made);
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
          onConfirm={() => {
            const { id } = leaving;
            setLeaving(null);
            act(() => deleteWebhook(id));
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
  onAgain,
  children,
}: {
  readonly webhook: Webhook;
  readonly onAgain: (delivery: string) => void;
  /** What the user may do with it. */
  readonly children: ComponentChildren;
}) {
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
            {WEBHOOK_TITLES[event]}
          </span>
        ))}{' '}
        <span class="quiet">format {webhook.format}</span>
      </p>
      <p class={`small-text ${isFailing(webhook) ? 'failing' : 'quiet'}`}>
        {webhook.lastDelivery === null ? (
          'Nothing was sent yet.'
        ) : (
          <>
            Last: {WEBHOOK_TITLES[webhook.lastDelivery.type]}, {stateInWords(webhook.lastDelivery)},{' '}
            <Moment at={webhook.lastDelivery.at} as="ago" />
          </>
        )}
      </p>
      {children}
      <DeliveriesFold id={webhook.id} onAgain={onAgain} />
    </section>
  );
}

/** Loads deliveries only when opened. */
function DeliveriesFold({
  id,
  onAgain,
}: {
  readonly id: string;
  readonly onAgain: (delivery: string) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Deliveries</summary>
      {isOpen && <Deliveries id={id} onAgain={onAgain} />}
    </details>
  );
}

function WebhookForm({
  of,
  onDone,
  onClose,
}: {
  /** Null for a new one. */
  readonly of: Webhook | null;
  readonly onDone: (made: Answered<'POST /v1/webhooks'> | null) => void;
  readonly onClose: () => void;
}) {
  const [url, setUrl] = useState(of?.url ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [events, setEvents] = useState<Webhook['events']>(of?.events ?? ['review.opened', 'review.expiring']);
  const [format, setFormat] = useState<Webhook['format']>(of?.format ?? 'standard');
  const send = async () => {
    const wish = { url: url.trim(), events, format, description: description.trim() };
    if (of !== null) {
      const changed = await changeWebhook(of.id, wish);
      if (changed.kind === 'failure') return changed;
      onDone(null);
      return null;
    }
    const made = await createWebhook(wish);
    if (made.kind === 'failure') return made;
    onDone(made.value);
    return null;
  };
  return (
    <FormSheet
      title={of === null ? 'Add a webhook' : 'Change this webhook'}
      action={of === null ? 'Add webhook' : 'Save'}
      isReady={events.length > 0}
      onSubmit={send}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="what it is for"
        maxLength={256}
        value={description}
        placeholder="e.g. finance channel"
        onInput={setDescription}
      />
      <TextField
        label="URL"
        type="url"
        required
        value={url}
        placeholder="https://example.com/hooks/writecheck"
        onInput={setUrl}
      />
      <EventChoices chosen={events} onChange={setEvents} />
      <label>
        Format
        <select
          value={format}
          onChange={(event) => setFormat(event.currentTarget.value as Webhook['format'])}
        >
          <option value="standard">Standard Webhooks</option>
          <option value="slack">Slack message</option>
          <option value="ocsf">OCSF event</option>
        </select>
      </label>
    </FormSheet>
  );
}

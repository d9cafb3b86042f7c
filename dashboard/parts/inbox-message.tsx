/** One message of the inbox: who it went to, and its HTML, text, headers, source and timeline. Shown, never run. */
import { Anchor, Badge, Group, Tabs, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { EmailEvent } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { readText } from '../api/read-text.js';
import { EmailTimeline } from './email-timeline.js';
import { ErrorNotice } from './error-notice.js';
import { FRAME_SANDBOX } from './html-frame.js';
import { InboxEnvelope, type OpenedInboxMessage } from './inbox-envelope.js';

export function InboxMessage({ id }: { id: string }) {
  const path = `/dev/inbox/messages/${encodeURIComponent(id)}`;
  const [chosen, setChosen] = useState<string | null>(null);
  const message = useQuery({
    queryKey: ['inbox-message', id],
    queryFn: ({ signal }) => callApi<OpenedInboxMessage>('GET', path, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const emailId = message.data?.emailId;
  const events = useQuery({
    queryKey: ['email-events', emailId],
    queryFn: ({ signal }) => callApi<EmailEvent[]>('GET', `/v1/emails/${emailId}/events`, { signal }),
    enabled: typeof emailId === 'string',
  });
  if (message.error)
    return (
      <div className="sheet">
        <BackToList />
        <ErrorNotice error={message.error} />
      </div>
    );
  const { data } = message;
  if (!data) return <div className="sheet" aria-busy="true" />;
  const tab = chosen ?? (data.html === null ? 'text' : 'html');
  const duplicate = events.data?.some(({ metadata }) => metadata.possibleDuplicate);
  return (
    <article className="sheet inbox-message" aria-labelledby="message-subject">
      <BackToList />
      <Group gap="sm" mb="xs">
        <Title order={2} size="h4" id="message-subject" className="break">
          {data.subject || '(no subject)'}
        </Title>
        {duplicate && (
          <Badge variant="outline" className="badge-wait">
            Possible duplicate
          </Badge>
        )}
      </Group>
      <InboxEnvelope message={data} path={path} />
      <Tabs value={tab} onChange={setChosen} keepMounted={false} mt="md">
        <Tabs.List mb="sm">
          <Tabs.Tab value="html" disabled={data.html === null}>
            HTML
          </Tabs.Tab>
          <Tabs.Tab value="text">Text</Tabs.Tab>
          <Tabs.Tab value="headers">Headers</Tabs.Tab>
          <Tabs.Tab value="source">Source</Tabs.Tab>
          <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="html">
          {REMOTE.test(data.html ?? '') && (
            <Text size="sm" c="dimmed" mb="xs">
              Images from the network are not loaded here.
            </Text>
          )}
          <iframe
            title="HTML of the message"
            src={`${path}/html`}
            sandbox={FRAME_SANDBOX}
            className="html-frame content-frame"
          />
        </Tabs.Panel>
        <Tabs.Panel value="text">
          {data.text === null ? (
            <Text c="dimmed">It has no text part.</Text>
          ) : (
            <pre className="source">{data.text}</pre>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="headers">
          <pre className="source">
            {data.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
          </pre>
        </Tabs.Panel>
        <Tabs.Panel value="source">
          <Source path={`${path}/raw`} />
        </Tabs.Panel>
        <Tabs.Panel value="timeline">
          {emailId ? (
            <>
              <Text size="sm" mb="xs">
                <Anchor component={Link} href={`/emails/${emailId}`}>
                  The email with its attempts
                </Anchor>
              </Text>
              <EmailTimeline events={events.data} error={events.error} />
            </>
          ) : (
            <Text c="dimmed">It was not sent by Postrider: its Message-ID names no email.</Text>
          )}
        </Tabs.Panel>
      </Tabs>
    </article>
  );
}

function BackToList() {
  return (
    <Anchor component={Link} href="/inbox" size="sm" className="only-narrow">
      ‹ All messages
    </Anchor>
  );
}

const REMOTE = /(?:src|background)\s*=[\s"']*(?:https?:)?\/\/|url\([\s"']*(?:https?:)?\/\//i;

function Source({ path }: { path: string }) {
  const source = useQuery({ queryKey: ['source', path], queryFn: ({ signal }) => readText(path, signal) });
  if (source.error) return <ErrorNotice error={source.error} />;
  return <pre className="source">{source.data ?? ''}</pre>;
}

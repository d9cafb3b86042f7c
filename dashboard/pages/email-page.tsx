/** One email: where it is on its way, what was tried and said, what is in it, and what can still be done. */
import { Anchor, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import type { EmailDetail } from '../../src/email-details.js';
import type { EmailEvent } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { CopyText } from '../parts/copy-text.js';
import { EmailActions } from '../parts/email-actions.js';
import { EmailAttempts } from '../parts/email-attempts.js';
import { EmailContent } from '../parts/email-content.js';
import { EmailPath } from '../parts/email-path.js';
import { EmailTimeline } from '../parts/email-timeline.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Facts } from '../parts/facts.js';
import { mailboxes } from '../parts/mailbox-text.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';

const UNDER_WAY = ['pending', 'processing', 'retry', 'scheduled'];

export default function EmailPage() {
  const { id = '' } = useParams<{ id: string }>();
  const email = useQuery({
    queryKey: ['email', id],
    queryFn: ({ signal }) =>
      callApi<EmailDetail>('GET', `/admin/emails/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: ({ state }) => (UNDER_WAY.includes(state.data?.status ?? '') ? 2_000 : 15_000),
  });
  const events = useQuery({
    queryKey: ['email-events', id, email.data?.updatedAt],
    queryFn: ({ signal }) =>
      callApi<EmailEvent[]>('GET', `/v1/emails/${encodeURIComponent(id)}/events`, { signal }),
    enabled: email.data !== undefined,
    // What is known of this email stays while its next event is asked for.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  });
  if (email.error && !email.data)
    return (
      <>
        <PageHeader title="Email" says={<BackToList />} />
        <ErrorNotice error={email.error} onRetry={() => email.refetch()} />
      </>
    );
  const { data } = email;
  return (
    <>
      <PageHeader title={data?.subject ?? 'Email'} says={<BackToList />}>
        {data && <EmailActions email={data} />}
      </PageHeader>
      {!data && (
        <Stack gap="md" role="status" aria-label="Loading">
          <Skeleton h={80} radius="md" />
          <Skeleton h={300} radius="md" />
        </Stack>
      )}
      {data && (
        <Stack gap="md">
          <Sheet>
            <EmailPath email={data} events={events.data ?? []} />
          </Sheet>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Sheet title="What it is">
              <Facts facts={factsOf(data)} />
            </Sheet>
            <Sheet title="Ids">
              <Facts facts={idsOf(data)} />
            </Sheet>
          </SimpleGrid>
          <Sheet title="Content">
            <EmailContent email={data} />
          </Sheet>
          <Sheet title="Attempts" flush>
            <EmailAttempts attempts={data.history} />
          </Sheet>
          <Sheet title="Timeline" flush>
            <EmailTimeline events={events.data} error={events.error} />
          </Sheet>
        </Stack>
      )}
    </>
  );
}

function BackToList() {
  return (
    <Anchor component={Link} href="/emails" size="sm">
      All emails
    </Anchor>
  );
}

function factsOf(email: EmailDetail): Array<readonly [string, React.ReactNode]> {
  const { from, to, cc, bcc, headerRecipients, replyTo } = email.envelope;
  return [
    ['Status', <StatusBadge key="status" status={email.status} />],
    ['To', mailboxes(to)],
    ['From', from && mailboxes([from])],
    ['Copies', mailboxes([...cc, ...bcc])],
    [
      'To and Cc in the header',
      headerRecipients && mailboxes([...headerRecipients.to, ...headerRecipients.cc]),
    ],
    ['Reply to', mailboxes(replyTo)],
    ['Type', email.type],
    ['Language', email.lang],
    ['Tenant', email.companyId],
    ['Priority', PRIORITIES[email.priority]],
    ['Delivery', email.delivery],
    ['Route', [email.route, email.provider].filter(Boolean).join(' · ')],
    ['Attempts', `${email.attempts} of ${email.maxAttempts} (${email.retry})`],
    ['Accepted', <TimeText key="created" at={email.createdAt} />],
    ['Due', email.scheduledAt && <TimeText key="due" at={email.scheduledAt} />],
    ['Next attempt', email.nextAttemptAt && <TimeText key="next" at={email.nextAttemptAt} />],
    ['Expires', email.expiresAt && <TimeText key="expires" at={email.expiresAt} />],
    ['Held back', email.parked ? 'by a pause' : null],
    ['Possible duplicate', email.possibleDuplicate ? 'yes: an attempt may have been delivered' : null],
    ['Error', email.lastError && `${email.errorCode ?? ''} ${email.lastError}`],
  ];
}

function idsOf(email: EmailDetail): Array<readonly [string, React.ReactNode]> {
  const first = email.metadata.resendOf;
  return [
    ['Email (outbox, job)', <CopyText key="id" value={email.id} label="the email's id" />],
    ['Request', <CopyText key="request" value={email.requestId} label="the request's id" />],
    [
      'Message',
      email.messageId && <CopyText key="message" value={email.messageId} label="the message's id" />,
    ],
    ['User', email.userId],
    ['Person', email.recipientExternalId ?? email.recipientId],
    [
      'Repeats',
      typeof first === 'string' && (
        <Anchor key="first" component={Link} href={`/emails/${encodeURIComponent(first)}`}>
          {first}
        </Anchor>
      ),
    ],
    [
      'Metadata',
      Object.keys(email.metadata).length > 0 && (
        <code key="metadata" className="break">
          {JSON.stringify(email.metadata)}
        </code>
      ),
    ],
  ];
}

const PRIORITIES: Record<number, string> = {
  1: '1 · critical',
  2: '2 · high',
  3: '3 · normal',
  4: '4 · low',
};

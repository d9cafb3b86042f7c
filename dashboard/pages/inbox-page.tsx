/** The development inbox: everything this process sent, as it comes in, and the message that is open beside it. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type UIEvent, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { callApi } from '../api/call-api.js';
import { ConfirmButton } from '../parts/confirm-button.js';
import { EmptyState } from '../parts/empty-state.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Icon } from '../parts/icon.js';
import { InboxList } from '../parts/inbox-list.js';
import { InboxMessage } from '../parts/inbox-message.js';
import { PageHeader } from '../parts/page-header.js';
import { useInbox } from '../parts/use-inbox.js';

export default function InboxPage() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const [looking, setLooking] = useState('');
  const [scrolled, setScrolled] = useState(false);
  const { messages, waiting, showNew, error, live, unseen } = useInbox({
    openId: id ?? null,
    busy: id !== undefined || scrolled,
    onGone: () => navigate('/inbox', { replace: true }),
  });
  const follow = (event: UIEvent<HTMLElement>) => setScrolled(event.currentTarget.scrollTop > 0);
  const sample = useMutation({ mutationFn: () => callApi('POST', '/dev/inbox/sample') });
  const wanted = looking.trim().toLowerCase();
  const shown = messages?.filter(({ subject, from, to }) =>
    [subject, from, ...to].join(' ').toLowerCase().includes(wanted),
  );
  return (
    <div className="inbox-page" data-open={id !== undefined}>
      <PageHeader
        title="Inbox"
        says={
          <span role="status" className="status" data-tone={live ? 'good' : 'wait'}>
            {live ? 'Live' : 'Reconnecting'}
          </span>
        }
      >
        <Button
          variant="default"
          loading={sample.isPending}
          leftSection={<Icon name="send" size={16} />}
          onClick={() => sample.mutate()}
        >
          Send a sample
        </Button>
        <ConfirmButton
          label="Clear"
          icon="trash"
          title="Remove every message?"
          confirmLabel="Remove all"
          danger
          disabled={!messages || messages.length === 0}
          act={() => callApi('DELETE', '/dev/inbox/messages')}
        >
          They are removed from this machine; the emails stay in the log.
        </ConfirmButton>
      </PageHeader>
      {sample.error && <ErrorNotice error={sample.error} />}
      {error && !messages && <ErrorNotice error={error} />}
      {messages?.length === 0 && <Begin />}
      {messages && messages.length > 0 && (
        <div className="inbox">
          <nav aria-label="Messages" className="sheet sheet-flush inbox-list" onScroll={follow}>
            <Group p="xs" wrap="nowrap" gap="xs" className="inbox-head">
              <TextInput
                type="search"
                placeholder="Filter"
                aria-label="Filter messages"
                value={looking}
                onChange={(event) => setLooking(event.currentTarget.value)}
                className="grow"
              />
              {waiting > 0 ? (
                <Button variant="default" size="compact-sm" className="inbox-count" onClick={showNew}>
                  {waiting.toLocaleString()} new
                </Button>
              ) : (
                <Text size="sm" c="dimmed" className="inbox-count">
                  {wanted ? `${shown?.length} of ${messages.length}` : messages.length}
                </Text>
              )}
            </Group>
            {shown?.length === 0 ? (
              <Text role="status" size="sm" c="dimmed" px="md" pb="sm">
                No message matches.
              </Text>
            ) : (
              <InboxList messages={shown ?? []} unseen={unseen} openId={id ?? null} />
            )}
          </nav>
          {id ? (
            <InboxMessage id={id} key={id} />
          ) : (
            <div className="sheet inbox-choose">
              <EmptyState icon="inbox" title="Choose a message">
                Everything this process sends lands here and nowhere else.
              </EmptyState>
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function Begin() {
  const command = `curl -X POST ${location.origin}/v1/email/send -H 'Content-Type: application/json' -d '{"to":"you@example.com","subject":"Hello","text":"It works."}'`;
  return (
    <div className="sheet">
      <EmptyState icon="inbox" title="No mail yet">
        <Text c="dimmed">
          Everything this process sends lands here and nowhere else. Send a sample, or run this:
        </Text>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre className="source command" tabIndex={0}>
          {command}
        </pre>
      </EmptyState>
    </div>
  );
}

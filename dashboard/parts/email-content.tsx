/** What is in an email: as it looks, as text, as source; and its files. Shown, never run. */
import { Anchor, Group, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EmailDetail } from '../../src/email-details.js';
import { callApi } from '../api/call-api.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { FRAME_SANDBOX } from './html-frame.js';
import { Icon } from './icon.js';

export function EmailContent({ email }: { email: EmailDetail }) {
  if (email.content === 'hidden')
    return (
      <EmptyState icon="shield" title="Hidden">
        Emails of this type hold codes or links that open something, so their content is nobody's to read.
      </EmptyState>
    );
  if (email.content === 'removed')
    return (
      <EmptyState icon="trash" title="Removed">
        The content was kept for as long as the settings say, and is gone; what happened to the email is still
        here.
      </EmptyState>
    );
  return <Kept email={email} />;
}

function Kept({ email }: { email: EmailDetail }) {
  const [tab, setTab] = useState<string | null>('html');
  const content = useQuery({
    queryKey: ['email-content', email.id],
    queryFn: ({ signal }) =>
      callApi<{ html: string | null; text: string | null }>('GET', `/admin/emails/${email.id}/content`, {
        signal,
      }),
    enabled: tab !== 'html',
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Tabs value={tab} onChange={setTab} keepMounted={false}>
      <Tabs.List mb="sm">
        <Tabs.Tab value="html">HTML</Tabs.Tab>
        <Tabs.Tab value="text">Text</Tabs.Tab>
        <Tabs.Tab value="source">Source</Tabs.Tab>
        {email.attachments.length > 0 && (
          <Tabs.Tab value="files">Files ({email.attachments.length})</Tabs.Tab>
        )}
      </Tabs.List>
      {content.error && <ErrorNotice error={content.error} onRetry={() => content.refetch()} />}
      <Tabs.Panel value="html">
        <iframe
          title="The email as it looks"
          src={`/admin/emails/${email.id}/html`}
          sandbox={FRAME_SANDBOX}
          className="html-frame content-frame"
        />
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <pre className="source">{content.data?.text ?? ''}</pre>
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <pre className="source">{content.data?.html ?? ''}</pre>
      </Tabs.Panel>
      <Tabs.Panel value="files">
        {email.attachments.map(({ index, filename, contentType, bytes }) => (
          <Group key={index} gap="xs">
            <Icon name="page" size={16} />
            <Anchor
              href={`/v1/emails/${email.id}/attachments/${index}`}
              download={filename}
              className="break"
            >
              {filename}
            </Anchor>
            <Text size="sm" c="dimmed">
              {contentType} · {bytes.toLocaleString()} bytes
            </Text>
          </Group>
        ))}
      </Tabs.Panel>
    </Tabs>
  );
}

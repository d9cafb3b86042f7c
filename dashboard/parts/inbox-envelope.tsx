/** Who a message is from and who got it, and its files. */
import { Anchor, Group } from '@mantine/core';
import type { InboxMessage } from '../../src/doors/inbox/index.js';
import { Facts } from './facts.js';
import { Icon } from './icon.js';

/** What `GET /dev/inbox/messages/:id` answers. */
export interface OpenedInboxMessage extends Omit<InboxMessage, 'attachments'> {
  cc: string[];
  replyTo: string[];
  html: string | null;
  text: string | null;
  headers: Array<{ name: string; value: string }>;
  attachments: Array<{ n: number; filename: string | null; contentType: string; size: number }>;
  problem?: string;
}

export function InboxEnvelope({ message, path }: { message: OpenedInboxMessage; path: string }) {
  return (
    <>
      <Facts
        facts={[
          ['From', message.from || message.envelope.from],
          ['To', message.to.join(', ')],
          ['Cc', message.cc.join(', ')],
          ['Reply to', message.replyTo.join(', ')],
          ['Delivered to', hiddenRecipients(message)],
          ['Received', `${new Date(message.receivedAt).toLocaleString()} · ${sizeText(message.size)}`],
          ['Problem', message.problem],
        ]}
      />
      {message.attachments.length > 0 && (
        <Group gap="md" mt="sm">
          {message.attachments.map(({ n, filename, contentType, size }) => (
            <Anchor key={n} href={`${path}/attachments/${n}`} download className="break" size="sm">
              <Icon name="page" size={14} /> {filename || contentType} · {sizeText(size)}
            </Anchor>
          ))}
        </Group>
      )}
    </>
  );
}

/** The envelope says who got it, the headers whom it names; only a difference (Bcc) is worth a line. */
function hiddenRecipients({ to, cc, envelope }: OpenedInboxMessage): string {
  const named = [...to, ...cc].join(' ').toLowerCase();
  return envelope.to.every((address) => named.includes(address.toLowerCase())) ? '' : envelope.to.join(', ');
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

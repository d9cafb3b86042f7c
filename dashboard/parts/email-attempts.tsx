/** Every attempt: when, by which way, how it ended; and the conversation with the server, word for word. */
import { Code } from '@mantine/core';
import type { EmailAttempt } from '../../src/views/index.js';
import { DataTable } from './data-table.js';
import { duration } from './email-timeline.js';
import { EmptyState } from './empty-state.js';
import { StatusBadge } from './status-badge.js';
import { exactTime } from './time-text.js';

export function EmailAttempts({ attempts }: { attempts: EmailAttempt[] }) {
  return (
    <DataTable
      label="Attempts"
      rows={attempts}
      keyOf={(attempt) => String(attempt.attempt)}
      minWidth={640}
      columns={[
        { name: '#', numeric: true, width: 40, cell: (attempt) => attempt.attempt },
        { name: 'Ended', width: 110, cell: (attempt) => <StatusBadge status={attempt.status} /> },
        {
          name: 'Began',
          width: 190,
          cell: (attempt) => <span className="nowrap">{exactTime(attempt.startedAt)}</span>,
        },
        { name: 'Took', numeric: true, width: 80, cell: (attempt) => duration(attempt.durationMs) },
        {
          name: 'By',
          wide: true,
          width: 140,
          cell: (attempt) => [attempt.route, attempt.provider].filter(Boolean).join(' · '),
        },
        { name: 'What was said', cell: (attempt) => <Said attempt={attempt} /> },
      ]}
      empty={
        <EmptyState icon="send" title="Not tried yet">
          Each attempt appears here with what the server answered.
        </EmptyState>
      }
    />
  );
}

function Said({ attempt }: { attempt: EmailAttempt }) {
  const { errorCode, errorMessage, detail } = attempt;
  const { conversation, ...rest } = detail ?? {};
  const more = Object.keys(rest).length > 0 ? JSON.stringify(rest, null, 2) : null;
  return (
    <div className="said">
      {errorMessage && (
        <p className="break">
          {errorCode && <Code>{errorCode}</Code>} {errorMessage}
        </p>
      )}
      {conversation !== undefined && conversation !== null && (
        <details open={attempt.status !== 'sent'}>
          <summary>Conversation</summary>
          <pre className="source">{conversationText(conversation)}</pre>
        </details>
      )}
      {more && (
        <details>
          <summary>Details</summary>
          <pre className="source">{more}</pre>
        </details>
      )}
    </div>
  );
}

function conversationText(conversation: unknown): string {
  if (typeof conversation === 'string') return conversation;
  if (Array.isArray(conversation))
    return conversation.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return JSON.stringify(conversation, null, 2);
}

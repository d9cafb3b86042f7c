/**
 * The messages under each other; arrow keys go from one to the next. Each is put into its place by a transform: one that
 * comes in on top moves the others without the page being laid out anew.
 */
import type { KeyboardEvent } from 'react';
import { Link } from 'wouter';
import type { InboxMessage } from '../../src/doors/inbox/index.js';

export interface InboxListProps {
  messages: readonly InboxMessage[];
  unseen: ReadonlySet<string>;
  openId: string | null;
}

export function InboxList({ messages, unseen, openId }: InboxListProps) {
  return (
    <ol
      className="messages"
      onKeyDown={step}
      style={{ height: `calc(${messages.length} * var(--message-height))` }}
    >
      {messages.map((message, place) => (
        <li
          key={message.id}
          data-new={unseen.has(message.id)}
          style={{ transform: `translateY(calc(${place} * var(--message-height)))` }}
        >
          <Link
            href={`/inbox/${message.id}`}
            className="message"
            {...(message.id === openId && { 'aria-current': 'true' as const })}
          >
            <span className="clip">{recipients(message)}</span>
            <time dateTime={message.receivedAt}>{shortTime(new Date(message.receivedAt))}</time>
            <span className="clip message-subject">{message.subject || '(no subject)'}</span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

function step(event: KeyboardEvent<HTMLOListElement>) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  const links = [...event.currentTarget.querySelectorAll('a')];
  const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function recipients({ to, envelope }: InboxMessage): string {
  return (to.length > 0 ? to : envelope.to).map((one) => /<([^<>]+)>$/.exec(one)?.[1] ?? one).join(', ');
}

function shortTime(at: Date): string {
  const today = at.toDateString() === new Date().toDateString();
  return today
    ? at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleDateString([], { day: 'numeric', month: 'short' });
}

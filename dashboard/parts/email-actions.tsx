/** What can be done with an email where it stands: take it back, try it again, send it once more, never write there again. */
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { EmailDetail } from '../../src/email-details.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { ConfirmButton } from './confirm-button.js';

const CANCELLABLE = ['scheduled', 'pending', 'retry'];
const DEAD = ['failed', 'unknown'];

export function EmailActions({ email }: { email: EmailDetail }) {
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  // One key for as long as the page is open: pressing twice is one email.
  const [key] = useState(() => crypto.randomUUID());
  if (!session.may('operate')) return null;
  const refresh = () => queries.invalidateQueries({ queryKey: ['email', email.id] });
  const to = email.to;
  const unsure = email.status === 'unknown' || email.possibleDuplicate;
  return (
    <>
      {CANCELLABLE.includes(email.status) && (
        <ConfirmButton
          label="Cancel"
          icon="stop"
          title="Cancel this email?"
          confirmLabel="Cancel the email"
          danger
          act={() => callApi('POST', `/v1/emails/${email.id}/cancel`)}
          onDone={refresh}
        >
          It will not be sent to {to}. Where an attempt has begun in the meantime, it stays.
        </ConfirmButton>
      )}
      {DEAD.includes(email.status) && email.content !== 'removed' && (
        <ConfirmButton
          label="Retry"
          icon="retry"
          variant="filled"
          title="Try this email again?"
          confirmLabel="Try again"
          mustAccept={unsure ? 'It may have been delivered already; a second copy is all right.' : undefined}
          act={() =>
            callApi('POST', `/admin/dead-letters/${email.id}/retry`, { body: { acceptDuplicates: unsure } })
          }
          onDone={refresh}
        >
          It goes to {to} again, with the same message id and all its attempts before it.
        </ConfirmButton>
      )}
      {email.content === 'kept' && (
        <ConfirmButton
          label="Send again"
          icon="send"
          title="Send the same once more?"
          confirmLabel="Send again"
          act={async () => {
            const answer = await callApi<{ emailId: string }>('POST', `/admin/emails/${email.id}/resend`, {
              headers: { 'Idempotency-Key': `resend-${email.id}-${key}` },
            });
            navigate(`/emails/${answer.emailId}`);
          }}
        >
          <Text>
            A new email with the same content goes to {to}
            {email.status === 'sent' && ', who has this one already'}.
          </Text>
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Suppress"
        icon="shield"
        title="Never write to this address again?"
        confirmLabel="Suppress"
        danger
        act={() =>
          callApi('POST', '/v1/suppressions', {
            body: { companyId: email.companyId, suppressions: [{ email: to, reason: 'manual' }] },
          })
        }
        onDone={refresh}
      >
        Nothing more is sent to {to} by {email.companyId}, until the entry is removed under Suppressions.
      </ConfirmButton>
    </>
  );
}

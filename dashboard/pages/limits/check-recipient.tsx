/** What one recipient has left of a type. Asking counts nothing. */
import { TextInput } from '@mantine/core';
import type { RateLimitCheck } from '../../../src/policy/index.js';
import { callApi } from '../../api/call-api.js';
import { useSession } from '../../api/session.js';
import { Facts } from '../../parts/facts.js';
import { FormButton } from '../../parts/form-button.js';
import { given } from '../../parts/form-values.js';
import { StatusBadge } from '../../parts/status-badge.js';

export function CheckRecipient() {
  if (!useSession().may('operate')) return null;
  return (
    <FormButton
      label="Ask about a recipient"
      icon="search"
      title="What a recipient has left"
      submitLabel="Ask"
      act={(form) =>
        callApi<Answered>('POST', '/admin/rate-limits/check', {
          body: given(form, 'address', 'type', 'companyId'),
        })
      }
      reveal={(answer) => (
        <Facts
          facts={[
            [
              'Another one',
              <StatusBadge
                key="allowed"
                status={answer.allowed ? 'sent' : 'failed'}
                label={answer.allowed ? 'may go' : 'would be refused'}
              />,
            ],
            ['Left', answer.limit === null ? 'no limit' : `${answer.remaining} of ${answer.limit}`],
            ['From anew', answer.resetAt && new Date(answer.resetAt).toLocaleString()],
          ]}
        />
      )}
    >
      <TextInput name="address" label="Address" type="email" required data-autofocus />
      <TextInput name="type" label="Type of email" placeholder="verification" required />
      <TextInput name="companyId" label="Company" placeholder="default company" />
    </FormButton>
  );
}

/** Instants are text on the way here. */
type Answered = Omit<RateLimitCheck, 'resetAt'> & { resetAt: string | null };

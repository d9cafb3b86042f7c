/** Putting an address on the list of those not to write to, and taking a reason off it. */
import { NativeSelect, TextInput } from '@mantine/core';
import type { Suppression } from '../../../src/recipients/index.js';
import { callApi } from '../../api/call-api.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { FormButton } from '../../parts/form-button.js';
import { given } from '../../parts/form-values.js';

/** What each reason stops. */
export const REASONS = [
  { value: 'manual', label: 'by hand: stops everything' },
  { value: 'bounce', label: 'bounce: stops everything' },
  { value: 'complaint', label: 'complaint: stops all but the essential' },
  { value: 'unsubscribe', label: 'unsubscribe: stops all but the essential' },
] as const;

export interface SuppressProps {
  /** Asked for, where it is not given. */
  email?: string;
  companyId: string | undefined;
  onDone(): void;
}

export function Suppress({ email, companyId, onDone }: SuppressProps) {
  return (
    <FormButton
      label="Suppress"
      icon="stop"
      size={email ? 'xs' : 'sm'}
      main={!email}
      title={email ? `Stop writing to ${email}` : 'Stop writing to an address'}
      submitLabel="Suppress"
      act={(form) => {
        const entry = given(form, 'email', 'reason', 'category', 'note');
        return callApi('POST', '/v1/suppressions', {
          body: { suppressions: [email ? { ...entry, email } : entry], ...(companyId && { companyId }) },
        });
      }}
      onDone={onDone}
    >
      {!email && <TextInput name="email" type="email" label="Address" required data-autofocus />}
      <NativeSelect name="reason" label="Why" data={[...REASONS]} />
      <TextInput
        name="category"
        label="Only this kind of email"
        description="For an unsubscribe; left empty it means everything."
        placeholder="weeklyFocus"
      />
      <TextInput name="note" label="Note" />
    </FormButton>
  );
}

export interface RemoveSuppressionProps {
  entry: Suppression & { email: string };
  onDone(): void;
}

export function RemoveSuppression({ entry, onDone }: RemoveSuppressionProps) {
  const { email, reason, category, companyId } = entry;
  return (
    <ConfirmButton
      label="Lift"
      size="compact-sm"
      title={`Write to ${email} again?`}
      act={() =>
        callApi('DELETE', `/v1/suppressions/${encodeURIComponent(email)}`, {
          query: { companyId, reason, category },
        })
      }
      onDone={onDone}
    >
      {reason === 'bounce'
        ? 'Their server has refused this address before. Writing to it again may hurt how others see you.'
        : 'They have asked not to be written to. Lift it only when they have asked for that.'}
    </ConfirmButton>
  );
}

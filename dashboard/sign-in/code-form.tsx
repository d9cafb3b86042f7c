/**
 * The second step: six digits, typed or pasted, sent by themselves once they are all there. Another code can be asked
 * for after a while, and sooner where the API says so.
 */
import { Button, Group, PinInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/api-error.js';
import { callApi } from '../api/call-api.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { useCountdown } from './use-countdown.js';

export interface CodeFormProps {
  email: string;
  expiresAt: string;
  onExtended(expiresAt: string): void;
  onBack(): void;
  onSignedIn(): Promise<void>;
}

const LENGTH = 6;
const RESEND_SECONDS = 30;

export function CodeForm({ email, expiresAt, onExtended, onBack, onSignedIn }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [wait, waitFor] = useCountdown(RESEND_SECONDS);
  const check = useMutation({
    mutationFn: (digits: string) => callApi('POST', '/auth/code', { body: { code: digits } }),
    onSuccess: () => onSignedIn(),
    onError: () => setCode(''),
  });
  const resend = useMutation({
    mutationFn: () => callApi<{ expiresAt: string }>('POST', '/auth/code/resend'),
    onSuccess: (answer) => {
      setCode('');
      check.reset();
      onExtended(answer.expiresAt);
      waitFor(RESEND_SECONDS);
    },
    onError: (error) => {
      if (error instanceof ApiError && error.retryAfterSeconds) waitFor(error.retryAfterSeconds);
    },
  });
  const enter = (digits: string) => {
    setCode(digits);
    if (digits.length === LENGTH && !check.isPending) check.mutate(digits);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length === LENGTH && !check.isPending) check.mutate(code);
  };
  const error = check.error ?? resend.error;
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Six digits were sent to <strong>{email}</strong>. They work until{' '}
          {new Date(expiresAt).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })}.
        </Text>
        <PinInput
          length={LENGTH}
          type="number"
          oneTimeCode
          size="lg"
          autoFocus
          placeholder=""
          role="group"
          aria-label="The code"
          getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1}` })}
          value={code}
          error={check.error !== null}
          onChange={enter}
        />
        {error && <ErrorNotice error={error} />}
        {resend.isSuccess && !error && (
          <Text size="sm" role="status">
            Another code is on its way.
          </Text>
        )}
        <Button type="submit" fullWidth loading={check.isPending} disabled={code.length < LENGTH}>
          Sign in
        </Button>
        <Group justify="space-between">
          <Button variant="subtle" size="compact-sm" onClick={onBack}>
            Another account
          </Button>
          <Button
            variant="subtle"
            size="compact-sm"
            disabled={wait > 0}
            loading={resend.isPending}
            onClick={() => resend.mutate()}
          >
            {wait > 0 ? `Send again in ${wait} s` : 'Send again'}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          Mail is down? On the machine itself, <code>postrider admin code {email}</code> gives one.
        </Text>
      </Stack>
    </form>
  );
}

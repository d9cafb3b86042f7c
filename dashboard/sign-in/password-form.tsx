/** The first step. What is wrong is said once for both fields, so that nobody learns which addresses exist. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { callApi } from '../api/call-api.js';
import { ErrorNotice } from '../parts/error-notice.js';

export function PasswordForm({ onSent }: { onSent(email: string, expiresAt: string): void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => callApi<{ expiresAt: string }>('POST', '/auth/sign-in', { body: { email, password } }),
    onSuccess: ({ expiresAt }) => onSent(email, expiresAt),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          data-autofocus
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        />
        {signIn.error && <ErrorNotice error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Continue
        </Button>
      </Stack>
    </form>
  );
}

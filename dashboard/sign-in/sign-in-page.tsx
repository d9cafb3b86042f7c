/**
 * Signing in: a password, then the six digits that came by email. Whoever signs in again goes on where they were; for
 * anyone else the page begins anew, because what the one before was shown and typed is not for them.
 */
import { Center, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { SESSION_KEY } from '../api/query-client.js';
import { readSession, type Session } from '../api/session.js';
import { Icon } from '../parts/icon.js';
import { CodeForm } from './code-form.js';
import { PasswordForm } from './password-form.js';

export function SignInPage() {
  const [waiting, setWaiting] = useState<{ email: string; expiresAt: string } | null>(null);
  const queries = useQueryClient();
  useEffect(() => {
    const before = document.title;
    document.title = 'Sign in · Postrider';
    return () => {
      document.title = before;
    };
  }, []);
  const enter = async () => {
    const before = queries.getQueryData<Session>(SESSION_KEY);
    const now = await readSession();
    if (before && before.adminId !== now.adminId) return location.reload();
    queries.setQueryData(SESSION_KEY, now);
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  };
  return (
    <Center mih="100vh" p="md" component="main">
      <div className="sheet sign-in">
        <Stack gap="lg">
          <div>
            <span className="brand">
              <Icon name="mail" size={22} />
              <Text fw={650} component="span">
                Postrider
              </Text>
            </span>
            <Title order={1} size="h3" mt="md">
              {waiting ? 'Enter the code' : 'Sign in'}
            </Title>
          </div>
          {waiting ? (
            <CodeForm
              {...waiting}
              onExtended={(expiresAt) => setWaiting({ ...waiting, expiresAt })}
              onBack={() => setWaiting(null)}
              onSignedIn={enter}
            />
          ) : (
            <PasswordForm onSent={(email, expiresAt) => setWaiting({ email, expiresAt })} />
          )}
        </Stack>
      </div>
    </Center>
  );
}

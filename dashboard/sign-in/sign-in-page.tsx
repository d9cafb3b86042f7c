/** Signing in: a password, then the six digits that came by email. Nothing else of the dashboard is there before. */
import { Center, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { SESSION_KEY } from '../api/query-client.js';
import { Icon } from '../parts/icon.js';
import { CodeForm } from './code-form.js';
import { PasswordForm } from './password-form.js';

export function SignInPage() {
  const [waiting, setWaiting] = useState<{ email: string; expiresAt: string } | null>(null);
  const queries = useQueryClient();
  useEffect(() => {
    document.title = 'Sign in · Postrider';
    // What the one before was shown is not for the next.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  }, [queries]);
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
              onSignedIn={() => queries.resetQueries({ queryKey: SESSION_KEY })}
            />
          ) : (
            <PasswordForm onSent={(email, expiresAt) => setWaiting({ email, expiresAt })} />
          )}
        </Stack>
      </div>
    </Center>
  );
}

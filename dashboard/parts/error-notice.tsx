/** What went wrong, what to do, and the id under which the server's log has it. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { ApiError } from '../api/api-error.js';
import { Icon } from './icon.js';

export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Alert
      className="notice-bad"
      color="red"
      variant="outline"
      icon={<Icon name="warning" />}
      title={titleOf(error)}
      role="alert"
      maw={640}
    >
      <Stack gap="xs">
        {known?.help && <Text size="sm">{known.help}</Text>}
        <Group gap="sm">
          {onRetry && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {known && (
            <Text size="xs" c="dimmed">
              <Code>{known.code}</Code>
              {known.requestId && <> · request {known.requestId}</>}
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

function titleOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  return 'Something unforeseen happened.';
}

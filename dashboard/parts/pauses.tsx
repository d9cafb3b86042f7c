/** What is held back, said where nobody overlooks it, with the way to let it go. */
import { Alert, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Overview } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { ConfirmButton } from './confirm-button.js';
import { Icon } from './icon.js';

export function Pauses({ pauses }: { pauses: Overview['pauses'] }) {
  const may = useSession().may('operate');
  const queries = useQueryClient();
  return pauses.map(({ scope, value, reason, events }) => {
    const all = events ? 'Everything, with webhooks, bus events and schedules,' : 'All email';
    const what = scope === 'all' ? all : `The ${scope} ${value}`;
    return (
      <Alert
        key={`${scope} ${value}`}
        className="notice-wait"
        variant="outline"
        icon={<Icon name="pause" />}
        title={`${what} is held back`}
      >
        <Group justify="space-between" gap="sm">
          <span className="break">{reason ?? 'No reason was given.'}</span>
          {may && (
            <ConfirmButton
              label="Resume"
              size="compact-sm"
              icon="play"
              title={`Let ${what.toLowerCase()} go again?`}
              act={() => callApi('DELETE', '/admin/pauses', { query: { scope, value } })}
              onDone={() => queries.invalidateQueries({ queryKey: ['overview'] })}
            >
              What was held back goes out in its order.
            </ConfirmButton>
          )}
        </Group>
      </Alert>
    );
  });
}

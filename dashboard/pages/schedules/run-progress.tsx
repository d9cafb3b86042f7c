/** How far a run has come and what came of it. */
import { Group, Progress, Stack, Text } from '@mantine/core';
import { StatusBadge } from '../../parts/status-badge.js';
import { TimeText } from '../../parts/time-text.js';
import type { RunShown } from './run-seen.js';

export function RunProgress({ run }: { run: RunShown }) {
  const { state, total, lookedAt, lastError } = run;
  const share = total ? Math.min(100, (lookedAt / total) * 100) : 0;
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <StatusBadge status={state} tone={TONE[state]} />
        <Text size="xs" c="dimmed" component="span">
          <TimeText at={run.slot} />
        </Text>
      </Group>
      {state === 'running' && total !== null && total > 0 && (
        <Progress value={share} color="var(--tone-calm)" aria-label={`${Math.round(share)} % looked at`} />
      )}
      <Text size="sm">{saidOf(run)}</Text>
      {lastError && (
        <Text size="sm" c="var(--tone-bad)" className="break">
          {lastError}
        </Text>
      )}
    </Stack>
  );
}

const TONE = { running: 'calm', done: 'good', failed: 'bad', expired: 'quiet' } as const;

function saidOf({ queued, skipped, errorCount, lookedAt, total }: RunShown): string {
  const passed = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const parts = [`${queued.toLocaleString()} queued`];
  if (passed > 0) parts.push(`${passed.toLocaleString()} skipped`);
  if (errorCount > 0) parts.push(`${errorCount.toLocaleString()} with errors`);
  if (total !== null && lookedAt < total)
    parts.push(`${lookedAt.toLocaleString()} of ${total.toLocaleString()} looked at`);
  return parts.join(' · ');
}

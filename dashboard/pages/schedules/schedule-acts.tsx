/** Pause, resume and run now, each with what it means. */
import { Group } from '@mantine/core';
import { callApi } from '../../api/call-api.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import type { Scheduled } from './run-seen.js';

export interface ScheduleActsProps {
  schedule: Scheduled;
  onDone(): void;
  size?: 'sm' | 'compact-sm';
}

export function ScheduleActs({ schedule, onDone, size = 'compact-sm' }: ScheduleActsProps) {
  const { name, paused } = schedule;
  const path = `/admin/schedules/${encodeURIComponent(name)}`;
  return (
    <Group gap="xs" wrap="nowrap">
      <ConfirmButton
        label={paused ? 'Resume' : 'Pause'}
        icon={paused ? 'play' : 'pause'}
        size={size}
        title={paused ? `Resume ${name}?` : `Pause ${name}?`}
        act={() => callApi('POST', `${path}/${paused ? 'resume' : 'pause'}`)}
        onDone={onDone}
      >
        {paused
          ? 'It goes on from here. What was due during the pause stays out.'
          : 'Nothing fires, and a run that is going on stands still until it is resumed.'}
      </ConfirmButton>
      <ConfirmButton
        label="Run now"
        icon="send"
        size={size}
        disabled={paused}
        title={`Run ${name} now?`}
        act={() => callApi('POST', `${path}/run`)}
        onDone={onDone}
      >
        Everyone it is meant for gets their email now, besides those of its own times.
      </ConfirmButton>
    </Group>
  );
}

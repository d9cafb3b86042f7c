/** A status as a word with a dot of its tone; the word carries the meaning, the colour only helps. */
import type { Tone } from '../theme.js';

const TONE_OF: Record<string, Tone> = {
  sent: 'good',
  delivered: 'good',
  completed: 'good',
  enabled: 'good',
  active: 'good',
  alive: 'good',
  closed: 'good',
  published: 'good',
  pending: 'calm',
  processing: 'calm',
  running: 'calm',
  draft: 'calm',
  scheduled: 'quiet',
  cancelled: 'quiet',
  expired: 'quiet',
  suppressed: 'quiet',
  disabled: 'quiet',
  paused: 'wait',
  retry: 'wait',
  probing: 'wait',
  unknown: 'bad',
  failed: 'bad',
  open: 'bad',
  gone: 'bad',
};

export function StatusBadge({ status, tone, label }: { status: string; tone?: Tone; label?: string }) {
  return (
    <span className="status" data-tone={tone ?? TONE_OF[status] ?? 'quiet'}>
      {label ?? status}
    </span>
  );
}

/** The queue as bars, one for each priority, divided by what each email waits for. */
import type { Flow } from '../../src/read-flow.js';
import type { QueueDepth } from '../../src/views/index.js';
import type { Tone } from '../theme.js';
import { aboutCount } from './about-count.js';
import { PlotLegend } from './plot-legend.js';

const PRIORITIES = [
  [1, 'critical'],
  [2, 'high'],
  [3, 'normal'],
  [4, 'low'],
] as const;
const STATES: ReadonlyArray<{ state: QueueDepth['depth'][number]['state']; label: string; tone: Tone }> = [
  { state: 'processing', label: 'being sent', tone: 'good' },
  { state: 'ready', label: 'ready', tone: 'calm' },
  { state: 'waiting', label: 'waiting for its time', tone: 'quiet' },
  { state: 'parked', label: 'held back', tone: 'wait' },
];

export function QueueByPriority({ flow }: { flow: Flow | undefined }) {
  const depth = flow?.queue.depth ?? [];
  const countOf = (priority: number, state?: string) =>
    depth
      .filter((part) => part.priority === priority && (state === undefined || part.state === state))
      .reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...PRIORITIES.map(([priority]) => countOf(priority)));
  return (
    <>
      <div className="bars">
        {PRIORITIES.map(([priority, name]) => (
          <div key={priority} className="bar-row">
            <span>
              {priority} · {name}
            </span>
            <span className="bar" aria-hidden="true">
              {STATES.map(({ state, tone }) => (
                <i
                  key={state}
                  data-tone={tone}
                  style={{ width: `${(countOf(priority, state) / most) * 100}%` }}
                />
              ))}
            </span>
            <b className="numeric">{aboutCount(countOf(priority), flow?.queue.estimated)}</b>
          </div>
        ))}
      </div>
      <PlotLegend items={STATES.map(({ label, tone }) => ({ label, tone }))} />
    </>
  );
}

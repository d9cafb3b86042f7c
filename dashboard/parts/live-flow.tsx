/** The last minutes, second by second. */
import { useMemo } from 'react';
import type { Flow } from '../../src/read-flow.js';
import type { FlowSecond } from '../../src/views/index.js';
import type { Tone } from '../theme.js';
import { perSecond } from './overview-figures.js';
import { Plot } from './plot.js';
import { PlotLegend } from './plot-legend.js';
import { Sheet } from './sheet.js';

const KINDS: ReadonlyArray<{ name: Exclude<keyof FlowSecond, 'at'>; label: string; tone: Tone }> = [
  { name: 'accepted', label: 'accepted', tone: 'calm' },
  { name: 'sent', label: 'sent', tone: 'good' },
  { name: 'retrying', label: 'retrying', tone: 'wait' },
  { name: 'failed', label: 'failed', tone: 'bad' },
];
const SHOWN_SECONDS = 120;

export function LiveFlow({ flow }: { flow: Flow | undefined }) {
  const { times, series } = useMemo(() => {
    const seconds = (flow?.seconds ?? []).slice(-SHOWN_SECONDS);
    return {
      times: seconds.map(({ at }) => at),
      series: KINDS.map(({ name, label, tone }) => ({
        label,
        tone,
        values: seconds.map((second) => second[name]),
      })),
    };
  }, [flow]);
  const now = KINDS.map(({ name, label, tone }) => ({
    label,
    tone,
    value: perSecond(flow?.seconds ?? [], name),
  }));
  return (
    <Sheet title="Now" says="Emails per second" aside={<PlotLegend items={now} />}>
      <Plot
        times={times}
        series={series}
        describes={`Per second, over the last ten: ${now.map(({ label, value }) => `${value} ${label}`).join(', ')}.`}
      />
    </Sheet>
  );
}

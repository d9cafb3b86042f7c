/** What was sent and what failed over the chosen range, in steps. */
import { useMemo } from 'react';
import type { Figures } from '../../src/read-figures.js';
import { Plot } from './plot.js';
import { PlotLegend } from './plot-legend.js';
import { Sheet } from './sheet.js';

const STEPS: Record<number, string> = { 300: 'five minutes', 3600: 'hour', 86400: 'day' };

export function SentAndFailed({ figures }: { figures: Figures | undefined }) {
  const { times, series } = useMemo(() => {
    const points = figures?.series ?? [];
    return {
      times: points.map(({ at }) => at),
      series: [
        {
          label: 'sent',
          tone: 'good' as const,
          bars: true,
          values: points.map(({ sent }) => Math.max(0, sent)),
        },
        {
          label: 'failed',
          tone: 'bad' as const,
          bars: true,
          values: points.map(({ failed }) => Math.max(0, failed)),
        },
      ],
    };
  }, [figures]);
  const sent = (figures?.totalSent ?? 0).toLocaleString();
  const failed = (figures?.totalFailed ?? 0).toLocaleString();
  return (
    <Sheet
      title="Sent and failed"
      says={`Per ${STEPS[figures?.stepSeconds ?? 3600] ?? 'step'} of acceptance`}
      aside={
        <PlotLegend
          items={[
            { label: 'sent', tone: 'good', value: sent },
            { label: 'failed', tone: 'bad', value: failed },
          ]}
        />
      }
    >
      <Plot
        times={times}
        series={series}
        describes={`In the chosen time ${sent} were sent and ${failed} failed.`}
      />
    </Sheet>
  );
}

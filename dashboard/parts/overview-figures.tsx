/** The figures one looks at first, each in a word and a number. */
import { SimpleGrid } from '@mantine/core';
import type { Figures } from '../../src/read-figures.js';
import type { Flow } from '../../src/read-flow.js';
import type { FlowSecond, Overview } from '../../src/views/index.js';
import type { Tone } from '../theme.js';
import { aboutCount } from './about-count.js';
import { duration } from './email-timeline.js';

const LATELY_SECONDS = 10;

export interface OverviewFiguresProps {
  flow: Flow | undefined;
  figures: Figures | undefined;
  workers: Overview['workers'] | undefined;
}

export function OverviewFigures({ flow, figures, workers }: OverviewFiguresProps) {
  const waiting = flow?.queue.depth.reduce((sum, { count }) => sum + count, 0);
  const alive = workers?.filter((worker) => worker.alive).length;
  const rate = (name: keyof FlowSecond) => (flow ? perSecond(flow.seconds, name) : undefined);
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" component="dl" className="figures">
      <Figure name="Sent per second" value={rate('sent')} says={`${rate('accepted') ?? '–'} accepted`} />
      <Figure
        name="Waiting"
        value={waiting === undefined ? undefined : aboutCount(waiting, flow?.queue.estimated)}
        says={
          flow && flow.queue.oldestDueSeconds > 0
            ? `oldest ${duration(flow.queue.oldestDueSeconds * 1000)}`
            : 'none late'
        }
        tone={flow && flow.queue.oldestDueSeconds > 60 ? 'wait' : undefined}
      />
      <Figure
        name="Failing per second"
        value={rate('failed')}
        says={`${rate('retrying') ?? '–'} retrying`}
        tone={rate('failed') !== undefined && rate('failed') !== '0' ? 'bad' : undefined}
      />
      <Figure
        name="Failure rate"
        value={figures && `${figures.failureRate.toLocaleString()} %`}
        says={
          figures &&
          `${figures.totalFailed.toLocaleString()} of ${(figures.totalSent + figures.totalFailed).toLocaleString()}`
        }
        tone={figures && figures.failureRate >= 5 ? 'bad' : undefined}
      />
      <Figure
        name="Time to send, p95"
        value={figures && (figures.latency.p95Ms === null ? '–' : duration(figures.latency.p95Ms))}
        says={
          figures &&
          (figures.latency.p50Ms === null
            ? 'nothing sent'
            : `p50 ${duration(figures.latency.p50Ms)} · p99 ${duration(figures.latency.p99Ms ?? 0)}`)
        }
      />
      <Figure
        name="Workers alive"
        value={alive?.toLocaleString()}
        says={workers && (alive === 0 ? 'nothing is sent' : `of ${workers.length}`)}
        tone={alive === 0 ? 'bad' : undefined}
      />
    </SimpleGrid>
  );
}

function Figure({
  name,
  value,
  says,
  tone,
}: {
  name: string;
  value: string | undefined;
  says?: string | undefined;
  tone?: Tone | undefined;
}) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd className="figure-value" {...(tone && { 'data-tone': tone })}>
        {value ?? ' '}
      </dd>
      <dd className="figure-says">{says ?? ' '}</dd>
    </div>
  );
}

/** Over the last seconds, so that a single one does not make it jump. */
export function perSecond(seconds: readonly FlowSecond[], name: keyof FlowSecond): string {
  const lately = seconds.slice(-LATELY_SECONDS);
  if (lately.length === 0) return '0';
  const rate = lately.reduce((sum, second) => sum + second[name], 0) / lately.length;
  return rate >= 10 ? Math.round(rate).toLocaleString() : String(Math.round(rate * 10) / 10);
}

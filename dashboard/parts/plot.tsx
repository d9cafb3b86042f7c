/**
 * A plot of a few series over time. It is a picture of figures that also stand there as words, so it is described in
 * one sentence for those who cannot see it.
 */
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { TONES, type Tone } from '../theme.js';

export interface PlotSeries {
  label: string;
  tone: Tone;
  values: readonly number[];
  /** Drawn as columns that stand on the axis. */
  bars?: boolean;
}

export interface PlotProps {
  /** Seconds since 1970. */
  times: readonly number[];
  series: readonly PlotSeries[];
  describes: string;
  height?: number;
}

export function Plot({ times, series, describes, height = 220 }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme('light');
  const shape = series.map(({ label, tone, bars }) => `${label}:${tone}:${bars ?? false}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape of the series is what needs another plot, not their values
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    plot.current = new uPlot(
      optionsOf(series, { scheme, height, width: element.clientWidth }),
      [[], ...series.map(() => [])],
      element,
    );
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, scheme, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new plot has to be filled too
  useEffect(() => {
    plot.current?.setData([[...times], ...series.map(({ values }) => [...values])]);
  }, [times, series, shape, scheme, height]);

  return <div ref={box} role="img" aria-label={describes} className="plot" style={{ height }} />;
}

function optionsOf(
  series: readonly PlotSeries[],
  { scheme, height, width }: { scheme: 'light' | 'dark'; height: number; width: number },
): uPlot.Options {
  const line = scheme === 'light' ? '#e3e8e6' : '#2a353b';
  const barred = series.some(({ bars }) => bars);
  const axis = {
    stroke: TONES.quiet[scheme],
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: {
      // Columns stand around their moment, so the first and the last need room beside it.
      x: { range: (plot, min, max) => (barred ? withRoom(plot, min, max) : [min, max]) },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.15)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 70,
        values: (_plot, ticks, _axis, _space, step) => ticks.map((at) => timeText(at, step)),
      },
      { ...axis, size: 46, space: 44, values: (_plot, ticks) => ticks.map(shortNumber) },
    ],
    series: [
      {},
      ...series.map(({ label, tone, bars }) => ({
        label,
        stroke: TONES[tone][scheme],
        fill: `${TONES[tone][scheme]}${bars ? '99' : '1c'}`,
        width: bars ? 0 : 2,
        points: { show: false },
        ...(bars && { paths: uPlot.paths.bars!({ size: [0.7, 60], align: 0 }) }),
      })),
    ],
  };
}

function withRoom(plot: uPlot, min: number, max: number): [number, number] {
  const times = plot.data[0];
  const step = times.length > 1 ? times[1]! - times[0]! : 60;
  return [min - step / 2, max + step / 2];
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const SECOND = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function timeText(at: number, step: number): string {
  if (step >= 86_400) return DAY.format(at * 1000);
  return (step >= 60 ? TIME : SECOND).format(at * 1000);
}

export function shortNumber(value: number): string {
  if (value >= 1_000_000) return `${trim(value / 1_000_000)}M`;
  if (value >= 1_000) return `${trim(value / 1_000)}k`;
  return Number.isInteger(value) ? String(value) : '';
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

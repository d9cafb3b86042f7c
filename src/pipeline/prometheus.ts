import { createRequire } from 'node:module';
import type * as PromClient from 'prom-client';

/**
 * The kinds of figures we keep, of prom-client. Its index also loads what pushes, aggregates over a cluster and
 * watches the process: 3 MB in every process that delivers.
 */
const require = createRequire(import.meta.url);

export const Registry: typeof PromClient.Registry = require('prom-client/lib/registry.js');
export type Registry = PromClient.Registry;
export const Counter: typeof PromClient.Counter = require('prom-client/lib/counter.js');
export type Counter = PromClient.Counter;
export const Gauge: typeof PromClient.Gauge = require('prom-client/lib/gauge.js');
export type Gauge = PromClient.Gauge;
export const Histogram: typeof PromClient.Histogram = require('prom-client/lib/histogram.js');
export type Histogram = PromClient.Histogram;

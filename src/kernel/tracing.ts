/**
 * Spans for whoever has an OpenTelemetry SDK registered in this process, through its API alone. Without the package or
 * without an SDK nothing is made and nothing is measured: one look per email. Attributes are ids, names and codes;
 * an address, a subject or a body never is one.
 */
import type * as OpenTelemetry from '@opentelemetry/api';
import { messageOf } from './errors.js';
import type { Logger } from './logger.js';

export interface SpanOptions {
  name: string;
  kind: 'producer' | 'consumer';
  /** Where the trace comes from, as W3C traceparent; else what is active here, else a new one begins. */
  parent?: string | undefined;
  attributes: SpanAttributes;
}

export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface OpenSpan {
  /** What others continue from. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** It ended badly; a code, never a message. */
  fail(code: string): void;
}

let api: typeof OpenTelemetry | null = null;
let loading: Promise<void> | null = null;

/** Once per process. A package that is not installed is no problem; one that is broken is told. */
export function loadTracing(logger: Logger): Promise<void> {
  loading ??= import('@opentelemetry/api').then(
    (loaded) => {
      api = loaded;
    },
    (error: unknown) => {
      if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return;
      logger.warn({ err: messageOf(error) }, '@opentelemetry/api could not be loaded: there are no traces');
    },
  );
  return loading;
}

/** Whether anybody would get a span. */
export function isTracing(): boolean {
  return activeTracer() !== null;
}

/** Runs `work` in a span that is active meanwhile; without an SDK it just runs. */
export async function inSpan<T>(
  options: SpanOptions,
  work: (span: OpenSpan | null) => Promise<T>,
): Promise<T> {
  const tracer = activeTracer();
  if (!tracer || !api) return work(null);
  const { trace, context, SpanKind, SpanStatusCode } = api;
  const kind = options.kind === 'producer' ? SpanKind.PRODUCER : SpanKind.CONSUMER;
  const span = tracer.startSpan(
    options.name,
    { kind, attributes: defined(options.attributes) },
    parentContext(api, options.parent),
  );
  const open: OpenSpan = {
    traceparent: traceparentOf(span.spanContext()),
    set: (attributes) => void span.setAttributes(defined(attributes)),
    fail(code) {
      span.setAttribute('error.type', code);
      span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    },
  };
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(open));
  } catch (error) {
    open.fail(codeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** As W3C Trace Context has it; what is malformed begins no trace of ours, and is no reason to refuse a request. */
export function readTraceparent(header: string | undefined): string | undefined {
  return header !== undefined && parseTraceparent(header) ? header : undefined;
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32})-((?!0{16})[\da-f]{16})-([\da-f]{2})$/;

function parseTraceparent(text: string): OpenTelemetry.SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function traceparentOf({ traceId, spanId, traceFlags }: OpenTelemetry.SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** What is active here is nearer, where it is of the same trace: an instrumented server has read the header too. */
function parentContext(
  { trace, context }: typeof OpenTelemetry,
  given: string | undefined,
): OpenTelemetry.Context {
  const active = context.active();
  const parent = given === undefined ? null : parseTraceparent(given);
  if (!parent || trace.getSpanContext(active)?.traceId === parent.traceId) return active;
  return trace.setSpanContext(active, parent);
}

// Until an SDK is registered the API hands out a stand-in whose spans are thrown away.
function activeTracer(): OpenTelemetry.Tracer | null {
  const provider = api?.trace.getTracerProvider();
  if (!provider) return null;
  if (!('getDelegateTracer' in provider)) return provider.getTracer(TRACER);
  return (provider as OpenTelemetry.ProxyTracerProvider).getDelegateTracer(TRACER) ?? null;
}

const TRACER = 'postrider';

function defined(attributes: SpanAttributes): OpenTelemetry.Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'INTERNAL';
}

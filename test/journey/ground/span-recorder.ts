import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** An OpenTelemetry SDK of a hundred lines: it makes spans, keeps what is active, and remembers everything that ended. */
export interface RecordedSpan {
  name: string;
  kind: string;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  attributes: Attributes;
  status: SpanStatus;
}

export function recordSpans(): { spans: RecordedSpan[]; stop(): void } {
  const spans: RecordedSpan[] = [];
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...given) => storage.run(active, () => work.call(self as never, ...given)),
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  const tracer = {
    startSpan(name: string, options: { kind?: SpanKind; attributes?: Attributes } = {}, within?: Context) {
      const parent = trace.getSpanContext(within ?? context.active());
      const recorded: RecordedSpan = {
        name,
        kind: SpanKind[options.kind ?? SpanKind.INTERNAL],
        traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        parentId: parent?.spanId,
        attributes: { ...options.attributes },
        status: { code: SpanStatusCode.UNSET },
      };
      return spanOf(recorded, () => spans.push(recorded));
    },
    startActiveSpan: () => {
      throw new Error('not used');
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
  return {
    spans,
    stop() {
      trace.disable();
      context.disable();
    },
  };
}

function spanOf(recorded: RecordedSpan, end: () => void): Span {
  const span: Span = {
    spanContext: () => ({ traceId: recorded.traceId, spanId: recorded.spanId, traceFlags: 1 }),
    setAttribute(key, value) {
      recorded.attributes[key] = value;
      return span;
    },
    setAttributes(attributes) {
      Object.assign(recorded.attributes, attributes);
      return span;
    },
    setStatus(status) {
      recorded.status = status;
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    recordException: () => {},
    isRecording: () => true,
    end,
  };
  return span;
}

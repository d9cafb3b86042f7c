import { inSpan, isTracing, type OpenSpan } from '../kernel/index.js';
import type { Intake } from './accept-email.js';
import type { TranslatedOptions } from './accept-options.js';
import type { Accepted } from './accepted.js';

/**
 * An intake whose acceptances are spans, and whose emails remember them, so that their attempts join the same trace
 * days later and in another process. Where nobody traces, a trace that came with the request is still remembered.
 */
export function traceIntake(intake: Intake): Intake {
  return {
    ...intake,
    accept: (input, options = {}) =>
      traced(options, 1, async (given, span) => {
        const accepted = await intake.accept(input, given);
        describe(span, [accepted]);
        return accepted;
      }),
    acceptBatch: (inputs, options = {}) =>
      traced(options, inputs.length, async (given, span) => {
        const accepted = await intake.acceptBatch(inputs, given);
        describe(span, accepted);
        return accepted;
      }),
    acceptPermissively: (inputs, options) =>
      traced(options, inputs.length, (given) => intake.acceptPermissively(inputs, given)),
  };
}

function traced<T>(
  options: TranslatedOptions,
  count: number,
  work: (options: TranslatedOptions, span: OpenSpan | null) => Promise<T>,
): Promise<T> {
  if (!isTracing()) return work(options, null);
  return inSpan(
    {
      name: 'postrider accept',
      kind: 'producer',
      parent: options.traceparent,
      attributes: {
        'messaging.system': 'postrider',
        'messaging.operation.type': 'create',
        'messaging.batch.message_count': count > 1 ? count : undefined,
        'postrider.request_id': options.requestId,
      },
    },
    (span) => work(span ? { ...options, traceparent: span.traceparent } : options, span),
  );
}

function describe(span: OpenSpan | null, [first, ...others]: readonly Accepted[]): void {
  if (!span || !first) return;
  span.set({
    'postrider.request_id': first.requestId,
    ...(others.length === 0 && {
      'messaging.message.id': first.emailId,
      'postrider.email.status': first.status,
    }),
  });
}

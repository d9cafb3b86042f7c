import { createBroadcastRoom } from './broadcast-room.js';
import { checkEmailId } from './check-email-id.js';
import type { HttpRooms } from './doors/http/index.js';
import { createEmailDetails } from './email-details.js';
import { parseDueTime } from './intake/index.js';
import { isUuid, messageOf, systemClock } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import { readFigures } from './read-figures.js';
import { createFlowReader } from './read-flow.js';
import { createMetricsReader } from './read-metrics.js';

export { checkEmailId };

/** What the HTTP door sees of a Postrider. */
export function httpRooms(postrider: Postrider): HttpRooms {
  return {
    accept: (input, options) => postrider.send(input as Parameters<Postrider['send']>[0], options),
    acceptBatch: (inputs, options) =>
      postrider.sendBatch(inputs as Parameters<Postrider['sendBatch']>[0], options),
    get: async (emailId, companyId) => (isUuid(emailId) ? postrider.get(emailId, { companyId }) : null),
    async timeline(emailId, companyId) {
      const events = isUuid(emailId) ? await postrider.timeline(emailId, { companyId }) : [];
      return events.length > 0 ? events : null;
    },
    cancel: (emailId, companyId) => postrider.cancel(checkEmailId(emailId), { companyId }),
    async reschedule(emailId, at, companyId) {
      const dueAt = parseDueTime(at, 'scheduledAt', systemClock.now());
      await postrider.reschedule(checkEmailId(emailId), dueAt, { companyId });
      return (await postrider.get(emailId, { companyId })) ?? {};
    },
    attachments: postrider,
    details: createEmailDetails(postrider),
    figures: {
      flow: createFlowReader(
        () => postrider.ready(),
        () => systemClock.monotonic(),
      ),
      figures: async (hours) => readFigures(await postrider.ready(), systemClock, hours),
    },
    alerts: { list: () => postrider.alerts.list() },
    pauses: postrider,
    recipients: postrider.recipients,
    templates: postrider.templates,
    suppressions: postrider.suppressions,
    webhooks: postrider.webhooks,
    hooks: postrider.hooks,
    unsubscribe: postrider.unsubscribePage,
    operations: postrider,
    broker: postrider.brokerDeadLetters,
    bus: postrider.bus,
    schedules: postrider.schedules,
    broadcasts: createBroadcastRoom(postrider),
    limits: postrider,
    resend: postrider.resend,
    settings: () => postrider.settings(),
    async ready() {
      const database = await postrider
        .ready()
        .then(async (store) => {
          await store.prompt().query('select 1');
          return { ok: true };
        })
        .catch((error: unknown) => ({ ok: false, message: messageOf(error) }));
      // A broker that is away is told and no reason to turn callers away: accepting does not need it.
      const state = postrider.engine();
      const engine = state && { engine: { ok: state.up, message: `${state.name}: ${state.message}` } };
      const onBus = postrider.busState();
      const bus = onBus && { bus: { ok: onBus.up, message: onBus.message } };
      // Without a lease this process accepts what it does not send, and nobody would notice.
      const held = postrider.workerState();
      const worker = held && { worker: { ok: held.up, message: held.message } };
      const ok = database.ok && (held?.up ?? true);
      return { ok, checks: { database, ...worker, ...engine, ...bus } };
    },
    metrics: createMetricsReader(postrider, () => systemClock.monotonic()),
    requested: (request) => postrider.metrics.requested(request),
  };
}

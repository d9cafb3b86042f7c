import type { ScheduleRun, ScheduleSeen } from '../../schedules/index.js';
import type { ApiCall, ScheduleDesk } from './application.js';

/** The schedules of a Postrider that runs beside this command, asked through its API. */
export function runningSchedules(call: ApiCall): ScheduleDesk {
  const pathOf = (name: string) => `/admin/schedules/${encodeURIComponent(name)}`;
  return {
    async list() {
      const { schedules } = await call<{ schedules: ScheduleSeen[] }>('GET', '/admin/schedules');
      return schedules.map((seen) => ({
        ...seen,
        next: seen.next && new Date(seen.next),
        last: seen.last && withTimes(seen.last),
      }));
    },
    async pause(name) {
      await call('POST', `${pathOf(name)}/pause`);
    },
    async resume(name) {
      await call('POST', `${pathOf(name)}/resume`);
    },
    runNow: async (name) =>
      (await call<{ runs: ScheduleRun[] }>('POST', `${pathOf(name)}/run`)).runs.map(withTimes),
    async runs(name, { limit, state } = {}) {
      const asked = new URLSearchParams({
        ...(limit !== undefined && { limit: String(limit) }),
        ...(state !== undefined && { state }),
      });
      const { runs } = await call<{ runs: ScheduleRun[] }>('GET', `${pathOf(name)}/runs?${asked}`);
      return runs.map(withTimes);
    },
  };
}

/** Instants come as text. */
function withTimes(run: ScheduleRun): ScheduleRun {
  return {
    ...run,
    slot: new Date(run.slot),
    startedAt: new Date(run.startedAt),
    finishedAt: run.finishedAt && new Date(run.finishedAt),
  };
}

import { describe, expect, it } from 'vitest';
import type { ScheduleRun } from '../../../schedules/index.js';
import type { ScheduleDesk } from '../application.js';
import { cliForTest } from '../cli.fixture.js';

const run = (parts: Partial<ScheduleRun> = {}): ScheduleRun => ({
  runId: 'run-1',
  schedule: 'digest',
  zone: 'UTC',
  slot: new Date('2026-05-01T09:00Z'),
  manual: true,
  state: 'done',
  total: 3,
  lookedAt: 3,
  queued: 2,
  skipped: { opted_out: 1 },
  errorCount: 0,
  errors: [],
  lastError: null,
  startedAt: new Date('2026-05-01T09:00Z'),
  finishedAt: null,
  ...parts,
});
const desk = (parts: Partial<ScheduleDesk> = {}): ScheduleDesk => ({
  list: async () => [],
  pause: async () => {},
  resume: async () => {},
  runNow: async () => [],
  runs: async () => [],
  ...parts,
});
const cli = (parts: Partial<ScheduleDesk>) =>
  cliForTest({ application: { schedules: async () => desk(parts) } });

describe('postrider schedules', () => {
  it('list → one line each, with the next and the last', async () => {
    const seen = { name: 'digest', cron: '0 9 * * *', timeZone: 'UTC', catchUp: 'last', paused: false };
    const next = new Date('2026-05-02T09:00Z');
    const shown = cli({ list: async () => [{ ...seen, next, last: run() }] });
    expect(await shown.run('schedules', 'list')).toBe(0);
    expect(shown.out[0]).toMatch(
      /^digest {2}0 9 \* \* \* {2}UTC {2}next 2026-05-02T09:00:00.000Z {2}last .*queued 2/,
    );
  });
  it('pause and resume → said', async () => {
    const names: string[] = [];
    const shown = cli({
      pause: async (name) => void names.push(name),
      resume: async (name) => void names.push(name),
    });
    expect(await shown.run('schedules', 'pause', 'digest')).toBe(0);
    expect(await shown.run('schedules', 'resume', 'digest')).toBe(0);
    expect(names).toEqual(['digest', 'digest']);
    expect(shown.out).toEqual(['Paused digest.', 'Resumed digest.']);
  });
  it('run --wait → watches until it is over; a failed one exits 1', async () => {
    const states: ScheduleRun['state'][] = ['running', 'running', 'failed'];
    const shown = cli({
      runNow: async () => [run({ state: 'running', queued: 0 })],
      runs: async () => [
        run({ state: states.shift()!, lastError: 'the audience is away' }),
        run({ runId: 'other' }),
      ],
    });
    expect(await shown.run('schedules', 'run', 'digest', '--wait')).toBe(1);
    expect(shown.out).toHaveLength(1);
    expect(shown.out[0]).toContain('the audience is away');
  });
  it('run with nobody to write to → says so', async () => {
    const shown = cli({});
    expect(await shown.run('schedules', 'run', 'digest')).toBe(0);
    expect(shown.notes).toContain('There are no recipients, so there is nothing to run.');
  });
  it('runs --json → as JSON', async () => {
    const shown = cli({ runs: async () => [run()] });
    expect(await shown.run('schedules', 'runs', 'digest', '--json')).toBe(0);
    expect(JSON.parse(shown.out.join('\n'))).toMatchObject([{ runId: 'run-1', skipped: { opted_out: 1 } }]);
  });
});

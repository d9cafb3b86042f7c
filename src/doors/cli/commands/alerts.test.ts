import { expect, test } from 'vitest';
import type { ChannelReport, ShownEpisode } from '../../../alerts/index.js';
import { cliForTest } from '../cli.fixture.js';

const episode: ShownEpisode = {
  ...{ id: '01a1def1-9ed6-7000-8fe3-719f10b82e28', alert: 'route-failing', subject: 'main', tenant: null },
  ...{ severity: 'page', sentence: 'The route main fails: \u001b[31m421.', action: 'Ask.', page: '' },
  ...{ beganAt: '2026-01-01T00:00:00.000Z', openedAt: '2026-01-01T00:05:00.000Z', endedAt: null },
};

const withAlerts = (episodes: ShownEpisode[], reports: ChannelReport[] = []) =>
  cliForTest({
    application: { alerts: async () => ({ list: async () => episodes }), testAlerts: async () => reports },
  });

test('alerts list → a line each, the open one with its severity, nothing in it speaks to the terminal', async () => {
  const { run, out } = withAlerts([episode, { ...episode, endedAt: '2026-01-01T01:00:00.000Z' }]);
  expect(await run('alerts', 'list')).toBe(0);
  expect(out[0]).toMatch(/^page +route-failing +2026-01-01T00:00:00\.000Z .*The route main fails: .*421\.$/);
  expect(out[1]).toMatch(/^over .*2026-01-01T01:00:00\.000Z/);
  expect(out.join()).not.toContain('\u001b');
});

test('alerts list of nothing → says so; with --json the list', async () => {
  const { run, out } = withAlerts([]);
  expect(await run('alerts', 'list')).toBe(0);
  expect(await run('alerts', 'list', '--json')).toBe(0);
  expect(out).toEqual(['Nothing is wrong, and nothing was.', '[]']);
});

test('alerts test → each way with how it went; one that fails, or none at all, is a failure', async () => {
  const sent: ChannelReport = { channel: 'webhook', ok: true, message: 'sent' };
  const good = withAlerts([], [sent]);
  expect(await good.run('alerts', 'test')).toBe(0);
  expect(good.out[0]).toContain('webhook: sent');
  const bad = withAlerts([], [sent, { channel: 'slack', ok: false, message: 'answered 404' }]);
  expect(await bad.run('alerts', 'test')).not.toBe(0);
  expect(bad.out[1]).toContain('slack: answered 404');
  const none = withAlerts([]);
  expect(await none.run('alerts', 'test')).not.toBe(0);
  expect(none.out[0]).toContain('POSTRIDER_ALERT_WEBHOOK_URL');
});

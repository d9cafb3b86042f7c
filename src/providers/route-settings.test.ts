import { describe, expect, it } from 'vitest';
import { parseRoutes, routeSettings } from './route-settings.js';

const main = { name: 'main', mode: 'smtp', smtp: { host: 'mail.example.com' } };

function reason(...routes: unknown[]): string {
  const parsed = parseRoutes(routes);
  return parsed.ok ? 'fine' : parsed.reason;
}

it('a full route → its own account with that mode’s defaults', () => {
  const parsed = parseRoutes([
    {
      ...main,
      weight: 3,
      ratePerSecond: 14,
      domainRates: { 'example.com': 2 },
      maxConcurrency: 5,
      onAccountFailure: 'fail',
    },
    { name: 'spare', mode: 'console', companies: ['acme'], types: ['digest'] },
  ]);
  expect(parsed).toMatchObject({
    ok: true,
    value: [
      {
        name: 'main',
        weight: 3,
        ratePerSecond: 14,
        domainRates: { 'example.com': 2 },
        maxConcurrency: 5,
        onAccountFailure: 'fail',
        account: { email: { mode: 'smtp' }, smtp: { host: 'mail.example.com', port: 587 } },
      },
      { name: 'spare', companies: ['acme'], types: ['digest'], account: { email: { mode: 'console' } } },
    ],
  });
});

describe('what does not fit → refused with the place', () => {
  it.each<[unknown, string]>([
    [{ ...main, wieght: 3 }, '[0].wieght is not a setting of a route, did you mean weight'],
    [{ ...main, smtp: { hots: 'x' } }, '[0].smtp.hots is not a setting; did you mean smtp.host'],
    [{ ...main, smtp: { host: 'x', port: 'y' } }, '[0].smtp.port is "y" but must be a whole number'],
    [{ ...main, mode: 'pigeon' }, '[0].mode is "pigeon" but must be one of those available'],
    [{ name: 'main', mode: 'smtp' }, '[0].mode is smtp but no server is named'],
    [{ name: 'main' }, '[0].mode is missing'],
    [{ ...main, name: 'a b' }, '[0].name must be letters'],
    [{ ...main, weight: -1 }, '[0].weight'],
    [{ ...main, ratePerSecond: 0 }, '[0].ratePerSecond'],
    [{ ...main, companies: [] }, '[0].companies'],
    [{ ...main, domainRates: { nodot: 1 } }, '[0].domainRates'],
    [{ ...main, maxConcurrency: 1.5 }, '[0].maxConcurrency'],
    [{ ...main, onAccountFailure: 'shrug' }, '[0].onAccountFailure'],
    [{ ...main, ses: { region: 'eu-north-1' } }, '[0].ses is not a setting of a route'],
    [{ name: 'main', provider: {} }, '[0].provider must be a provider'],
    ['main', '[0] must be an object'],
  ])('%j', (route, expected) => {
    expect(reason(route)).toContain(expected);
  });

  it('several problems → all of them', () => {
    expect(reason({ ...main, weight: -1 }, { ...main, maxConcurrency: 0 }).split('; ')).toHaveLength(2);
  });

  it('a name twice, none for everything, an empty list → refused', () => {
    expect(reason(main, main)).toContain('the name main twice');
    expect(reason({ ...main, types: ['digest'] })).toContain('need one without companies, types and regions');
    expect(reason()).toContain('must be a list');
  });
});

it('as JSON in a variable → the same; broken JSON → refused without showing it', () => {
  expect(routeSettings.routes.parse(JSON.stringify([main]))).toMatchObject({ ok: true });
  const broken = routeSettings.routes.parse('[{"smtp":{"password":"hunter2"}');
  expect(broken).toMatchObject({ ok: false });
  expect(JSON.stringify(broken)).not.toContain('hunter2');
});

it('shown → what was written, without its secrets', () => {
  const parsed = parseRoutes([
    { ...main, smtp: { host: 'mail.example.com', username: 'me', password: 'hunter2' } },
    { name: 'second', mode: 'resend', resend: { apiKey: 'hunter2' }, weight: 1 },
  ]);
  const shown = routeSettings.routes.show(parsed.ok ? parsed.value : null);
  expect(shown).not.toContain('hunter2');
  expect(JSON.parse(shown)).toMatchObject([
    { name: 'main', mode: 'smtp', 'smtp.host': 'mail.example.com' },
    { name: 'second', mode: 'resend', weight: 1 },
  ]);
});

it('the environment of the process → has no say in a route', () => {
  const parsed = parseRoutes([{ name: 'main', mode: 'resend', resend: { apiKey: 'k' } }]);
  expect(parsed).toMatchObject({ ok: true, value: [{ account: { smtp: { host: null } } }] });
});

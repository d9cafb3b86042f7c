import { describe, expect, it } from 'vitest';
import { createRouteTable } from './choose-route.js';
import type { Provider } from './provider.js';
import type { Route } from './route.js';

const provider = { name: 'none' } as Provider;
const route = (name: string, parts: Partial<Route> = {}): Route => ({ name, provider, ...parts });
const email = { tenant: 'acme', type: 'digest', region: 'north' };
const names = (routes: readonly Route[]) => routes.map(({ name }) => name);
const half = () => 0.5;

describe('choose', () => {
  it('no conditions → the first in order', () => {
    expect(createRouteTable([route('a'), route('b')]).choose(email, half)).toBe('a');
  });

  it('several match → company and type before company before type before all', () => {
    const all = [
      route('all'),
      route('type', { types: ['digest'] }),
      route('company', { companies: ['acme'] }),
      route('both', { companies: ['acme'], types: ['digest'] }),
    ];
    for (let left = all.length; left > 0; left--) {
      expect(createRouteTable(all.slice(0, left)).choose(email, half)).toBe(all[left - 1]!.name);
    }
  });

  it('another company or type, or no type → not taken', () => {
    const table = createRouteTable([route('all'), route('one', { companies: ['acme'], types: ['digest'] })]);
    expect(table.choose({ ...email, tenant: 'other' }, half)).toBe('all');
    expect(table.choose({ ...email, type: 'welcome' }, half)).toBe('all');
    expect(table.choose({ ...email, type: null }, half)).toBe('all');
  });

  it('regions → the closest of their own; another region or none is not taken', () => {
    const all = [
      route('all'),
      route('region', { regions: ['north'] }),
      route('type', { types: ['digest'] }),
      route('type here', { types: ['digest'], regions: ['north'] }),
      route('company', { companies: ['acme'] }),
      route('company here', { companies: ['acme'], regions: ['south', 'north'] }),
    ];
    for (let left = all.length; left > 0; left--) {
      expect(createRouteTable(all.slice(0, left)).choose(email, half)).toBe(all[left - 1]!.name);
    }
    const table = createRouteTable(all.slice(0, 2));
    expect(table.choose({ ...email, region: 'south' }, half)).toBe('all');
    expect(table.choose({ ...email, region: null }, half)).toBe('all');
  });

  it('weights 3 and 1 → three quarters and one, and weight 0 never', () => {
    const table = createRouteTable([
      route('spare', { weight: 0 }),
      route('big', { weight: 3 }),
      route('small', { weight: 1 }),
    ]);
    const at = (random: number) => table.choose(email, () => random);
    expect([0, 0.5, 0.749, 0.751, 0.999].map(at)).toEqual(['big', 'big', 'big', 'small', 'small']);
  });

  it('weights among the less specific → do not matter', () => {
    const table = createRouteTable([route('all', { weight: 9 }), route('company', { companies: ['acme'] })]);
    expect(table.choose(email, () => 0.99)).toBe('company');
  });
});

describe('candidates', () => {
  const table = createRouteTable([
    route('a'),
    route('b', { companies: ['other'] }),
    route('c', { types: ['digest', 'welcome'] }),
    route('d'),
  ]);

  it('a configured route → that one first, then those that serve the email, the most specific first', () => {
    expect(names(table.candidates('d', email, half))).toEqual(['d', 'c', 'a']);
  });

  it('a route of another company or type, whoever wrote its name → chosen anew, and never a way out', () => {
    expect(names(table.candidates('b', email, half))).toEqual(['c', 'a', 'd']);
    expect(names(table.candidates('c', { ...email, type: 'invoice' }, half))).toEqual(['a', 'd']);
  });

  it('a route that is not configured → chosen as at accept', () => {
    expect(names(table.candidates('gone', email, half))).toEqual(['c', 'a', 'd']);
  });

  it('a route of another region, whoever wrote its name → chosen anew, and never a way out', () => {
    const regional = createRouteTable([
      route('a'),
      route('south', { regions: ['south'] }),
      route('north', { regions: ['north'] }),
    ]);
    expect(names(regional.candidates('south', email, half))).toEqual(['north', 'a']);
    expect(names(regional.candidates('a', { ...email, region: null }, half))).toEqual(['a']);
    expect(names(regional.stand('a'))).toEqual(['a']);
    expect(names(regional.stand('north'))).toEqual(['north', 'a']);
  });

  it('without an email → only those that serve all of the route', () => {
    expect(names(table.stand('a'))).toEqual(['a', 'd']);
    expect(names(table.stand('c'))).toEqual(['c', 'a', 'd']);
    expect(names(table.stand('gone'))).toEqual(['a', 'd']);
    const narrow = createRouteTable([
      route('all'),
      route('x', { types: ['digest'] }),
      route('y', { types: ['digest', 'w'] }),
    ]);
    expect(names(narrow.stand('x'))).toEqual(['x', 'y', 'all']);
    expect(names(narrow.stand('y'))).toEqual(['y', 'all']);
  });
});

it('a name twice, or none for everything → INVALID_CONFIG', () => {
  const invalid = expect.objectContaining({ code: 'INVALID_CONFIG' });
  expect(() => createRouteTable([route('a'), route('a')])).toThrow(invalid);
  expect(() => createRouteTable([route('a', { types: ['digest'] })])).toThrow(invalid);
  expect(() => createRouteTable([route('a', { regions: ['north'] })])).toThrow(invalid);
});

import { isRegionName, type Parsed, type SettingRule, type Settings, setting } from '../kernel/index.js';

/**
 * Regions as they are written down: a name and a PostgreSQL database each. Names nobody could tell apart and two
 * regions in one database are refused; passwords are never shown.
 */
export const regionSettings = {
  regions: setting.structure<Readonly<Record<string, string>>>({
    env: ['POSTRIDER_REGIONS'],
    default: null,
    form: 'an object of names and PostgreSQL URLs, such as {"ind1":"postgres://…"}',
    says: 'The regions this process serves, each with a database of its own, instead of `database.url`; see REGIONS.md.',
    parse: parseRegions,
    show: (regions) => Object.keys(regions).join(','),
  }),
} satisfies Settings;

export function parseRegions(raw: unknown): Parsed<Readonly<Record<string, string>>> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return refuse('must be an object of names and PostgreSQL URLs');
  const entries = Object.entries(raw as Record<string, unknown>);
  if (entries.length === 0) return refuse('must name at least one region');
  for (const [name, url] of entries) {
    if (!isRegionName(name))
      return refuse(`.${name.slice(0, 32)} must be a name such as ind1: letters, digits and hyphens`);
    if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//.test(url))
      return refuse(`.${name} must be a URL starting with postgres:// or postgresql://`);
  }
  if (new Set(entries.map(([, url]) => url)).size < entries.length)
    return refuse('must give each region a database of its own');
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length)
    return refuse('must not have names that differ only in capitals');
  return { ok: true, value: Object.fromEntries(entries) as Record<string, string> };
}

export const regionRules: readonly SettingRule[] = [
  {
    key: 'regions',
    reads: ['regions', 'database.url'],
    broken: (get) =>
      get('regions') !== null && get('database.url') !== null
        ? 'names the databases; leave DATABASE_URL out'
        : null,
  },
  {
    key: 'database.region',
    reads: ['regions', 'database.region'],
    broken(get) {
      const regions = get('regions') as object | null;
      const home = get('database.region');
      if (regions === null || home === null || Object.hasOwn(regions, String(home))) return null;
      return `must be one of POSTRIDER_REGIONS: ${Object.keys(regions).join(', ')}`;
    },
  },
];

function refuse(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

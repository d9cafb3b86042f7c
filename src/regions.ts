import { createTenantRegions } from './access/index.js';
import { findInRegions } from './ask-regions.js';
import type { HomeRegion } from './assemble-access.js';
import { checkEmailId } from './check-email-id.js';
import { type Config, explainedAs, loadConfig } from './config.js';
import { eraseEverywhere } from './erase-everywhere.js';
import { inRegion, sharedBroker } from './in-region.js';
import { readCompanyId } from './intake/index.js';
import {
  createLogger,
  invalidConfig,
  isRegionName,
  PostriderError,
  systemClock,
  unknownRegion,
} from './kernel/index.js';
import { mergeEmailLists } from './merge-email-lists.js';
import { type AssemblyOptions, assemblePostrider } from './postrider.js';
import type { KnownTypes, Postrider } from './postrider-contract.js';
import type { Regions, RegionsOptions } from './regions-contract.js';
import type { EmailType } from './render/index.js';
import type { DatabaseSource } from './store/index.js';

/** Makes the regions that are given or configured; see regions-contract.ts for what they can do together. */
export function createRegions<const Own extends readonly EmailType[] = readonly []>({
  config: overrides,
  regions,
  home,
  ...parts
}: RegionsOptions<Own> = {}): Regions<KnownTypes<Own>> {
  const region = home ?? overrides?.database?.region;
  const config = loadConfig({ overrides: { ...overrides, database: { ...overrides?.database, region } } });
  return assembleRegions(config, { ...parts, stores: regions }) as unknown as Regions<KnownTypes<Own>>;
}

export interface RegionAssembly extends Omit<AssemblyOptions, 'database' | 'regional'> {
  /** Instead of those configured. */
  stores?: Readonly<Record<string, DatabaseSource>> | undefined;
}

/** The same from a configuration that was loaded before: a Postrider for each, with the tenants of the home region. */
export function assembleRegions(config: Config, { stores, ...options }: RegionAssembly = {}): Regions {
  const sources: Readonly<Record<string, DatabaseSource>> = stores ?? config.regions ?? {};
  const names = Object.keys(sources);
  const home = config.database.region ?? names[0];
  checkNames(names, home);
  const shared = names.length > 1 ? sharedBroker(config) : null;
  if (shared) throw invalidConfig([{ ...shared, source: 'options' }]);
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger({ level: config.log.level });
  const served = new Map<string, Postrider>();
  const assemble = (region: string, homeRegion: HomeRegion | null) => {
    const own = {
      ...inRegion(config, region),
      database: { ...config.database, region, url: null },
      regions: known(config, names),
    };
    const parts = { ...options, clock, logger: logger.child({ region }), database: sources[region]! };
    served.set(
      region,
      assemblePostrider(explainedAs(own, config), { ...parts, regional: { home: homeRegion } }),
    );
  };
  assemble(home, null);
  const { access, ready } = served.get(home)!;
  for (const region of names) if (region !== home) assemble(region, { access, database: ready });
  const tenants = createTenantRegions({ database: ready, clock });
  const all = names.map((name) => served.get(name)!);

  function within(region: string, whose?: string): Postrider {
    const found = served.get(region);
    if (found) return found;
    throw unknownRegion(region, names, { ...(whose !== undefined && { whose }) });
  }

  /** Said in the email, else its company's, else home; what is no name at all is left for intake to refuse. */
  async function choose(email: unknown, tx: unknown): Promise<Postrider> {
    const said = readRegion(email);
    if (said !== undefined) return within(isRegionName(said) ? String(said) : home!);
    if (tx !== undefined)
      throw new PostriderError(
        'INVALID_PAYLOAD',
        'region is needed with a transaction: that of its database.',
        {
          field: 'region',
        },
      );
    const companyId = readCompanyId(email) ?? config.email.defaultCompany;
    return within((await tenants.of(companyId)) ?? home!, `, which ${companyId} has,`);
  }

  async function chooseOne(emails: readonly unknown[], tx: unknown): Promise<Postrider> {
    const chosen = await Promise.all(emails.map((email) => choose(email, tx)));
    const other = chosen.findIndex((one) => one !== chosen[0]);
    if (other === -1) return chosen[0] ?? within(home!);
    throw new PostriderError(
      'INVALID_PAYLOAD',
      'A batch is of one region, since it is accepted all or none.',
      {
        field: `[${other}].region`,
      },
    );
  }

  async function holding(emailId: string, companyId: string | undefined): Promise<Postrider> {
    checkEmailId(emailId, companyId);
    const found = await findInRegions(names, (region) => within(region).get(emailId, { companyId }));
    if (found) return within(found.region);
    throw new PostriderError('EMAIL_NOT_FOUND', `There is no email ${emailId}.`, { field: 'emailId' });
  }

  return {
    names,
    home: home!,
    in: (region) => within(region),
    regionOf: (companyId) => tenants.of(companyId),
    send: async (email, accept) => (await choose(email, accept?.tx)).send(email, accept),
    sendBatch: async (emails, accept) => (await chooseOne(emails, accept?.tx)).sendBatch(emails, accept),
    schedule: async (email, at, accept) => (await choose(email, accept?.tx)).schedule(email, at, accept),
    reschedule: async (emailId, at, { companyId } = {}) =>
      (await holding(emailId, companyId)).reschedule(emailId, at, { companyId }),
    cancel: async (emailId, { companyId } = {}) =>
      (await holding(emailId, companyId)).cancel(emailId, { companyId }),
    get: async (emailId, of = {}) =>
      (await findInRegions(names, (region) => within(region).get(emailId, of)))?.answer ?? null,
    async timeline(emailId, of = {}) {
      const found = await findInRegions(names, async (region) => {
        const events = await within(region).timeline(emailId, of);
        return events.length > 0 ? events : null;
      });
      return found?.answer ?? [];
    },
    find: async (emailId, of = {}) =>
      (await findInRegions(names, (region) => within(region).get(emailId, of)))?.region ?? null,
    ...mergeEmailLists(names, within),
    erase: (person, options) =>
      eraseEverywhere(
        names.map((name) => [name, within(name)] as const),
        person,
        options,
      ),
    async migrate(onProgress) {
      const applied: string[] = [];
      let current = 0;
      for (const region of names) {
        const report = await within(region).migrate((progress) =>
          onProgress?.({ ...progress, migration: `${region} ${progress.migration}` }),
        );
        applied.push(...report.applied.map((name) => `${region} ${name}`));
        current = report.current;
      }
      return { applied, current };
    },
    start: () => each(all, (one) => one.start()),
    startSchedules: () => each(all, (one) => one.schedules.start()),
    stopWorking: (limits) => each(all, (one) => one.stopWorking(limits)),
    stop: (limits) => each(all, (one) => one.stop(limits)),
  };
}

async function each(all: readonly Postrider[], act: (one: Postrider) => Promise<void>): Promise<void> {
  await Promise.all(all.map(act));
}

function readRegion(email: unknown): unknown {
  if (typeof email !== 'object' || email === null || !Object.hasOwn(email, 'region')) return undefined;
  return (email as { region?: unknown }).region ?? undefined;
}

function checkNames(names: readonly string[], home: string | undefined): asserts home is string {
  const wrong = names.find((name) => !isRegionName(name));
  const message =
    names.length === 0
      ? 'must name at least one region'
      : wrong !== undefined
        ? `cannot be named ${wrong}: letters, digits and hyphens, as in ind1`
        : home === undefined || !names.includes(home)
          ? `must have ${home}, which is said to be home`
          : null;
  if (message !== null) throw invalidConfig([{ key: 'regions', source: 'options', message }]);
}

/** What tenants can be given, also where the stores themselves came from code. */
function known(config: Config, names: readonly string[]): Config['regions'] {
  return config.regions ?? Object.fromEntries(names.map((name) => [name, '']));
}

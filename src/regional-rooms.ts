import { findInRegions } from './ask-regions.js';
import type { HookRoom } from './doors/http/hook-room.js';
import type { HttpAppOptions, HttpRooms, Readiness, RegionRooms } from './doors/http/index.js';
import { createEmailDetails } from './email-details.js';
import { httpRooms } from './http-rooms.js';
import { unknownRegion } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import type { Regions } from './regions-contract.js';

/** What an HTTP app is made of, for one store or for several. */
export function httpParts(from: Postrider | Regions): Pick<HttpAppOptions, 'rooms' | 'access' | 'regions'> {
  if (!('names' in from)) return { rooms: httpRooms(from), access: from.access };
  const regions = regionRooms(from);
  return { rooms: regions.from(from.home), access: from.in(from.home).access, regions };
}

/**
 * What the HTTP door sees of several regions: the rooms of each, and those in which an email is found wherever it is.
 * Recipients, templates, suppressions and the like are always those of one region.
 */
function regionRooms(regions: Regions): RegionRooms {
  const own = new Map(regions.names.map((name) => [name, httpRooms(regions.in(name))]));
  return {
    names: regions.names,
    home: regions.home,
    regionOf: (companyId) => regions.regionOf(companyId),
    only: (region) => own.get(region)!,
    from: (region) => ({
      ...own.get(region)!,
      ...acrossRegions(regions),
      operations: {
        ...operationsOf(regions.in(region)),
        ...listsOf(regions, region),
        erase: (person) => regions.erase(person as Parameters<Regions['erase']>[0]),
      },
      hooks: hooksOf(regions),
      ready: () => readiness(regions, own),
      metrics(asked = regions.home) {
        const rooms = own.get(asked);
        if (!rooms) throw unknownRegion(asked.slice(0, 32), regions.names);
        return rooms.metrics();
      },
    }),
  };
}

type Across = Pick<
  HttpRooms,
  'accept' | 'acceptBatch' | 'get' | 'timeline' | 'cancel' | 'reschedule' | 'attachments' | 'details'
>;

function acrossRegions(regions: Regions): Across {
  const holding = async (emailId: string, companyId?: string) =>
    httpRooms(regions.in((await regions.find(emailId, { companyId })) ?? regions.home));
  const detailsOf = async (emailId: string) =>
    createEmailDetails(regions.in((await regions.find(emailId)) ?? regions.home));
  return {
    accept: (input, options) => regions.send(input as Parameters<Regions['send']>[0], options),
    acceptBatch: (inputs, options) =>
      regions.sendBatch(inputs as Parameters<Regions['sendBatch']>[0], options),
    get: async (emailId, companyId) => regions.get(emailId, { companyId }),
    async timeline(emailId, companyId) {
      const events = await regions.timeline(emailId, { companyId });
      return events.length > 0 ? events : null;
    },
    cancel: (emailId, companyId) => regions.cancel(emailId, { companyId }),
    reschedule: async (emailId, at, companyId) =>
      (await holding(emailId, companyId)).reschedule(emailId, at, companyId),
    details: {
      detail: async (emailId) => (await detailsOf(emailId)).detail(emailId),
      content: async (emailId, options) => (await detailsOf(emailId)).content(emailId, options),
      sendAgain: async (emailId, options) => (await detailsOf(emailId)).sendAgain(emailId, options),
    },
    attachments: {
      attachments: async (emailId, of) =>
        regions.in((await regions.find(emailId, of)) ?? regions.home).attachments(emailId, of),
      attachment: async (emailId, index, of) =>
        regions.in((await regions.find(emailId, of)) ?? regions.home).attachment(emailId, index, of),
    },
  };
}

function operationsOf(postrider: Postrider): NonNullable<HttpRooms['operations']> {
  const { list, log, userEmails, cancelMany, erase, deadLetters } = postrider;
  return { list, log, userEmails, cancelMany, erase, deadLetters };
}

/** `region=all` is the only one that comes this far. */
function listsOf(
  regions: Regions,
  region: string,
): Pick<NonNullable<HttpRooms['operations']>, 'list' | 'log'> {
  const one = regions.in(region);
  return {
    list: ({ region: all, ...query }: { region?: unknown }) =>
      all === undefined ? one.list(query) : regions.list(query),
    log: ({ region: all, ...query }: { region?: unknown }) =>
      all === undefined ? one.log(query) : regions.log(query),
  };
}

/** A report names an email and no region: each is asked, and the one that knows it writes it down. */
function hooksOf(regions: Regions): HookRoom {
  return {
    ...regions.in(regions.home).hooks,
    async record(notification, companyId) {
      const found = await findInRegions(regions.names, async (region) => {
        const said = await regions.in(region).hooks.record(notification, companyId);
        return said === 'unknown' ? null : said;
      });
      return found?.answer ?? 'unknown';
    },
  };
}

/** Without the home region nobody can be let in; any other that is away is named, and the rest goes on. */
async function readiness(regions: Regions, own: ReadonlyMap<string, HttpRooms>): Promise<Readiness> {
  const each = await Promise.all(
    regions.names.map(async (name) => [name, await own.get(name)!.ready()] as const),
  );
  const checks = each.flatMap(([name, { checks: found }]) => [
    [`database ${name}`, found.database!] as const,
    ...(found.worker ? [[`worker ${name}`, found.worker] as const] : []),
  ]);
  const home = each.find(([name]) => name === regions.home)?.[1];
  return { ok: home?.ok ?? false, checks: Object.fromEntries(checks) };
}

/** The data that signing in and passwords need in several portals; each portal says it in its own words. */
import { z } from 'zod';
import { hours, instant, line, link, minutes, personName, timeZone } from './data-fields.js';

/** A link to choose a new password. */
export const passwordLink = z.strictObject({
  name: personName,
  resetUrl: link,
  expiresInMinutes: minutes,
});

/** What is no secret of it, and may stand in a subject. */
export const PASSWORD_LINK_SHOWN = ['name', 'expiresInMinutes'];

/** A link that proves an address. */
export const addressLink = z.strictObject({
  name: personName,
  verifyUrl: link,
  expiresInHours: hours,
});

export const ADDRESS_LINK_SHOWN = ['name', 'expiresInHours'];

/** A password was changed: when, from where if that is known, and what to do if it was somebody else. */
export const passwordChange = z.strictObject({
  name: personName,
  changedAt: instant,
  timeZone,
  device: line(120).optional(),
  secureUrl: link,
});

export const passwordLinkSample = (host: string) => ({
  name: 'Ada',
  resetUrl: `https://${host}/reset?token=7f3a91`,
  expiresInMinutes: 60,
});

export const addressLinkSample = (host: string) => ({
  name: 'Ada',
  verifyUrl: `https://${host}/verify?token=7f3a91`,
  expiresInHours: 24,
});

export const passwordChangeSample = (host: string) => ({
  name: 'Ada',
  changedAt: '2030-05-14T16:20:00Z',
  timeZone: 'Europe/Berlin',
  device: 'Firefox, Linux',
  secureUrl: `https://${host}/secure`,
});

import { describe, expect, it } from 'vitest';
import { createRenderer } from '../create-renderer.js';
import type { EmailType } from '../define-email.js';
import { createTemplateFiles } from '../template-files.js';
import { catalogue } from './catalogue.js';

/** What each type promises: whose it is, how urgent, how often, how long, and whether its body is hidden. */
const HOUR = 3600;
const DAY = 86_400;
const EXPECTED: Record<string, [portal: string, category: string, priority: number, limit?: string]> = {
  hub_welcome: ['hub', 'auth', 3],
  hub_forgot_password: ['hub', 'auth', 1],
  hub_password_changed: ['hub', 'auth', 2],
  hub_email_verification: ['hub', 'auth', 1],
  org_welcome: ['org', 'auth', 3],
  org_forgot_password: ['org', 'auth', 1],
  org_password_changed: ['org', 'auth', 2],
  org_invite: ['org', 'auth', 3],
  agency_welcome: ['agency', 'auth', 3],
  agency_forgot_password: ['agency', 'auth', 1],
  agency_password_changed: ['agency', 'auth', 2],
  admin_tfa: ['admin', 'auth', 1],
  verification: ['app', 'auth', 1, `3 in ${HOUR}`],
  password_reset: ['app', 'auth', 1, `3 in ${HOUR}`],
  password_changed: ['app', 'auth', 2],
  welcome: ['app', 'auth', 3, '1 in null'],
  deletion_scheduled: ['app', 'account', 2, '1 in null'],
  circle_invitation: ['app', 'circles', 3, `5 in ${DAY}`],
  group_assignment: ['app', 'circles', 3],
  meeting_scheduled: ['app', 'circles', 2],
  meeting_cancelled: ['app', 'circles', 2],
  weekly_focus: ['app', 'weeklyFocus', 4, `1 in ${7 * DAY}`],
  checkin_reminder: ['app', 'reminders', 4, `1 in ${DAY}`],
  streak_warning: ['app', 'streakWarnings', 4, `1 in ${DAY}`],
  inactivity: ['app', 'reEngagement', 4, `1 in ${14 * DAY}`],
  reminder: ['app', 'reminders', 4, `1 in ${DAY}`],
  USER_CERTIFICATION: ['rss', 'auth', 1],
  RSS_REGISTRATION: ['rss', 'account', 3],
  RSS_REMOVAL: ['rss', 'account', 1],
  PASSWORD_RESET: ['rss', 'auth', 1],
  ACCOUNT_DELETION: ['rss', 'account', 1],
};
const SENSITIVE = [
  ...['hub_forgot_password', 'hub_email_verification', 'org_forgot_password', 'org_invite', 'admin_tfa'],
  ...['agency_forgot_password', 'verification', 'password_reset', 'USER_CERTIFICATION', 'RSS_REMOVAL'],
  ...['PASSWORD_RESET', 'ACCOUNT_DELETION'],
];
const types: readonly EmailType[] = catalogue;
const files = createTemplateFiles();
const renderer = createRenderer({ files, appUrl: null });

describe('the catalogue', () => {
  it('its types → those of the sources, with their portal, category, priority and limit', () => {
    const declared = types.map(({ type, portal, category, priority, rateLimit }) => {
      const limit = rateLimit ? [`${rateLimit.limit} in ${rateLimit.windowSeconds}`] : [];
      return [type, [portal, category, priority, ...limit]];
    });
    expect(Object.fromEntries(declared)).toEqual(EXPECTED);
    expect(declared).toHaveLength(31);
  });

  it('a code or a link that lets someone in → sensitive, and all but the invitation expire', () => {
    expect(
      types
        .filter(({ sensitive }) => sensitive)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(SENSITIVE.sort());
    const lasting = types.filter(({ sensitive, expiresInMs }) => sensitive && expiresInMs === null);
    expect(lasting.map(({ type }) => type)).toEqual(['org_invite']);
    const codes = types.filter(({ sample }) => 'code' in (sample as object));
    expect(codes.map(({ expiresInMs }) => expiresInMs)).toEqual([
      600_000, 600_000, 600_000, 600_000, 600_000,
    ]);
  });

  it('a feed that was rejected → needs a reason; one that was approved → takes none', () => {
    const type = types.find((one) => one.type === 'RSS_REGISTRATION')!;
    const feed = 'Notes';
    expect(() => renderer.checkData(type, { result: 'rejected', feed })).toThrow(
      expect.objectContaining({ field: 'data.reason' }),
    );
    const approved = { result: 'approved', feed, feedUrl: 'https://x.example' };
    expect(() => renderer.checkData(type, { ...approved, reason: 'x' })).toThrow(
      expect.objectContaining({ field: 'data.reason' }),
    );
    const { subject, text } = renderer.render({
      ...{ type, lang: 'en' },
      data: renderer.checkData(type, { result: 'rejected', feed, reason: 'Too <old> & quiet.' }),
    });
    expect(subject).toBe('Not accepted: Notes');
    expect(text).toContain('\n> Too <old> & quiet.\n');
  });

  it.each(types.map((type) => [type.type, type] as const))(
    '%s with the longest texts its data takes → the subject stays within 150 characters',
    (_, type) => {
      const lengths = [type.sample, ...Object.values(type.moreSamples ?? {})].flatMap((sample) =>
        files.languages().map((lang) => {
          const data = renderer.checkData(type, longest(type, sample as Record<string, unknown>));
          return [...renderer.render({ type, lang, data }).subject].length;
        }),
      );
      expect(lengths.length).toBeGreaterThan(2);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(150);
    },
  );
});

/** Every text of the sample as long as its schema lets it be, up to 150. */
function longest(type: EmailType, sample: Record<string, unknown>): Record<string, unknown> {
  const data = { ...sample };
  for (const [name, value] of Object.entries(sample)) {
    if (typeof value !== 'string') continue;
    for (let length = 150; length > value.length; length--) {
      const longer = { ...data, [name]: 'W'.repeat(length) };
      if (!type.data.safeParse(longer).success) continue;
      data[name] = longer[name];
      break;
    }
  }
  return data;
}

/**
 * How large a body each route reads, declared here and nowhere else. Only what brings files reads as much as the setting says;
 * most routes take a few fields. A list that is imported is read as it arrives and held row by row, so it has no limit.
 */
const KB = 1024;
const MB = 1024 ** 2;

/** Where nothing else is said. */
const USUAL_BYTES = 256 * KB;
/** HTML and text of 512 KB each, as JSON may spell them. */
const CONTENT_BYTES = 4 * MB;
/** Ten thousand entries. */
const LIST_BYTES = 8 * MB;

const BODY_LIMITS: Readonly<Record<string, number>> = {
  'POST /v1/email/send': Number.POSITIVE_INFINITY,
  'POST /v1/email/batch': Number.POSITIVE_INFINITY,
  'POST /resend/emails': Number.POSITIVE_INFINITY,
  'POST /resend/emails/batch': Number.POSITIVE_INFINITY,

  'POST /v1/recipients': LIST_BYTES,
  'POST /v1/suppressions': LIST_BYTES,

  'PUT /admin/templates/:type/:lang/draft': CONTENT_BYTES,
  'POST /admin/templates/:type/:lang/preview': CONTENT_BYTES,
  'POST /resend/templates': CONTENT_BYTES,
  'PATCH /resend/templates/:template': CONTENT_BYTES,
  'POST /resend/broadcasts': CONTENT_BYTES,
  'PATCH /resend/broadcasts/:broadcast': CONTENT_BYTES,
  'POST /dashboard/frame': 2 * MB,
  'POST /dev/templates/render': CONTENT_BYTES,
  'POST /dev/templates/send': CONTENT_BYTES,

  'POST /hooks/ses': 512 * KB,
  'POST /hooks/resend': 512 * KB,
  'POST /hooks/bounces': 10 * MB,

  'POST /u/:token': 8 * KB,
  'POST /auth/sign-in': 16 * KB,
  'POST /auth/code': 16 * KB,
  'POST /auth/code/resend': 16 * KB,
};

export const ROUTES_WITH_BODY_LIMITS = Object.keys(BODY_LIMITS);

/** `most` is the setting, which no route goes beyond. */
export function bodyLimitOf(route: string | null, most: number): number {
  return Math.min(most, (route === null ? undefined : BODY_LIMITS[route]) ?? USUAL_BYTES);
}

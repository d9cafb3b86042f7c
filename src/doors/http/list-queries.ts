/** What lists of emails may be asked for in a query; each is read by its routes and shown in the description of the API. */
import { EMAIL_FIELDS } from '../../intake/index.js';
import { field, fields, invalidPayload, REGION_NAME } from '../../kernel/index.js';
import {
  agreeingTimes,
  DEAD_LETTER_FIELDS,
  EMAIL_FILTER_FIELDS,
  MESSAGE_PAGE_FIELDS,
  PAGE_FIELDS,
  USER_PAGE_FIELDS,
} from '../../outbox/index.js';
import { QUOTA_PAGE_FIELDS } from '../../policy/index.js';
import { inQuery } from './read-query.js';

const inText = { days: inQuery.number(EMAIL_FILTER_FIELDS.days), recipient: inQuery.address() };
const paging = { limit: inQuery.number(PAGE_FIELDS.limit), cursor: PAGE_FIELDS.cursor };
const pageNumber = { page: inQuery.number(PAGE_FIELDS.page) };
const region = field.pattern(REGION_NAME, 'the name of a region, or all', 'Of those served, or all.');
const emails = { ...EMAIL_FILTER_FIELDS, ...inText };
const deadLetters = { ...DEAD_LETTER_FIELDS, ...inText };

export const COMPANY_QUERY = fields({ companyId: EMAIL_FIELDS.companyId });

export const QUOTAS_QUERY = fields({
  companyId: EMAIL_FIELDS.companyId,
  limit: inQuery.number(QUOTA_PAGE_FIELDS.limit),
  cursor: QUOTA_PAGE_FIELDS.cursor,
});

export const EMAIL_LIST_QUERY = fields({ ...emails, ...paging, region }, { together: agreeingTimes });
export const EMAIL_EXPORT_QUERY = fields(emails, { together: agreeingTimes });
export const EMAIL_LOG_QUERY = fields(
  { ...emails, ...paging, ...pageNumber, region },
  {
    together(given, at) {
      agreeingTimes(given, at);
      if (given.page !== undefined && given.cursor !== undefined)
        throw invalidPayload(at('cursor'), 'and page exclude each other');
    },
  },
);
export const USER_EMAILS_QUERY = fields({
  page: inQuery.number(USER_PAGE_FIELDS.page),
  limit: inQuery.number(USER_PAGE_FIELDS.limit),
});
export const DEAD_LETTERS_QUERY = fields({ ...deadLetters, ...paging }, { together: agreeingTimes });
export const DEAD_LETTER_GROUPS_QUERY = fields(deadLetters, { together: agreeingTimes });
export const BROADCASTS_QUERY = fields({ companyId: field.line(128), ...paging });
export const MESSAGES_QUERY = fields({ limit: inQuery.number(MESSAGE_PAGE_FIELDS.limit) });
export const METRICS_QUERY = fields({
  region: field.pattern(REGION_NAME, 'the name of a region', 'Of those served; home, if it is not said.'),
});

import { type Literal, scanSource } from './scan-source.js';
import { isTest, roomOf, type SourceFile } from './source-file.js';

/**
 * One room owns each table, and SQL about it lives there. Views read any table and write none; alerts read any and
 * write their own.
 * A table that is not listed is an objection too: name its owner here when you add one.
 */
const OWNERS: Record<string, string> = {
  emails: 'outbox',
  email_bodies: 'outbox',
  email_queue: 'outbox',
  email_attempts: 'outbox',
  email_facts: 'outbox',
  email_tallies: 'outbox',
  email_tally_mark: 'outbox',
  email_tally_sums: 'outbox',
  workers: 'outbox',
  server_epoch: 'outbox',
  pauses: 'outbox',
  routes: 'outbox',
  route_rates: 'outbox',
  recipients: 'recipients',
  recipient_check_ins: 'recipients',
  suppressions: 'recipients',
  segments: 'recipients',
  segment_members: 'recipients',
  topics: 'recipients',
  contact_properties: 'recipients',
  recipient_activities: 'recipients',
  idempotency_keys: 'policy',
  rate_limits: 'policy',
  rate_limit_slots: 'policy',
  policy_revision: 'policy',
  quotas: 'policy',
  quota_shares: 'policy',
  declared_types: 'render',
  email_templates: 'render',
  email_template_revision: 'render',
  stored_templates: 'render',
  schedules: 'schedules',
  schedule_zones: 'schedules',
  schedule_runs: 'schedules',
  schedule_marks: 'schedules',
  broadcasts: 'schedules',
  schema_migrations: 'store',
  store_region: 'store',
  store_identity: 'store',
  domains: 'access',
  tenants: 'access',
  api_keys: 'access',
  audit_log: 'access',
  admins: 'access',
  admin_sign_ins: 'access',
  admin_sessions: 'access',
  sign_in_limits: 'access',
  sealed_secrets: 'access',
  webhook_endpoints: 'events',
  webhook_deliveries: 'events',
  webhook_attempts: 'events',
  bus_events: 'events',
  bus_listening: 'events',
  bus_received: 'events',
  alert_episodes: 'alerts',
  alert_notifications: 'alerts',
  alert_rounds: 'alerts',
};

/** Views of the database, read by the room of the same name. */
const READ_MODELS = new Set(['email_logs', 'email_events']);

export function checkTables(file: SourceFile): string[] {
  if (isTest(file)) return [];
  const room = roomOf(file.path);
  const problems = new Set<string>();
  for (const literal of scanSource(file.text).literals) {
    for (const table of tablesIn(literal)) {
      const owner = READ_MODELS.has(table) ? 'outbox' : OWNERS[table];
      if (owner === undefined) problems.add(`${file.path}: nobody is named as owner of postrider.${table}`);
      else if (owner !== room && room !== 'views' && !(room === 'alerts' && !WRITE.test(literal.value))) {
        problems.add(`${file.path}: postrider.${table} belongs to ${owner}`);
      }
    }
    if (room === 'views' && WRITE.test(literal.value)) problems.add(`${file.path}: views write nothing`);
  }
  return [...problems];
}

/** Named in full anywhere in a string; or bare, or under an interpolated schema, in what starts like SQL. */
function tablesIn({ value }: Literal): string[] {
  const known = [...Object.keys(OWNERS), ...READ_MODELS].join('|');
  const patterns = [
    new RegExp(`\\bpostrider"?\\."?(${known})\\b`, 'gi'),
    /\b(?:into|update|table|only)\s+postrider\.(\w+)/gi,
    /\b(?:from|join)\s+postrider\.(\w+)\b(?!\s*\()/gi, // with a parenthesis it is a function
  ];
  if (STATEMENT.test(value)) {
    const schema = '(?:\\$\\{[^}]*\\}\\.)?';
    patterns.push(new RegExp(`\\b(?:from|join|into|update|only)\\s+${schema}(${known})\\b`, 'gi'));
  }
  return patterns.flatMap((pattern) => [...value.matchAll(pattern)].map((match) => match[1]!.toLowerCase()));
}

const STATEMENT =
  /^\s*(?:--.*\n\s*)*(?:select|insert|update|delete|with|truncate|alter|drop|lock|copy|merge)\b/i;
const WRITE =
  /\binsert\s+into\b|\bdelete\s+from\b|\bmerge\s+into\b|\btruncate\s+(?:table\s+)?postrider\b|\bupdate\s+(?:only\s+)?[\w."${}]+(?:\s+(?:as\s+)?\w+)?\s+set\b/i;

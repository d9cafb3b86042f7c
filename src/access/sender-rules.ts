import { type Clock, type ErrorCode, type Logger, type Mailbox, messageOf } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { domainOf } from './confine-email.js';

/**
 * From which domains each tenant may send, asked at every acceptance, through whichever door. A rule is believed for
 * 800 ms, so a change holds everywhere within a second. Inside a transaction it is read there, because on one
 * connection anything else would wait for itself. An email without a sender of its own has the operator's default
 * one, which is always allowed.
 */
export interface SenderRules {
  /** The first email that may not be sent, or null; `tx` is what it will be written with. */
  judge(tx: Queryable, emails: readonly SentBy[]): Promise<SenderRefusal | null>;
}

export interface SentBy {
  tenant: string;
  from: Mailbox | null;
}

export interface SenderRefusal {
  accept: false;
  code: ErrorCode;
  message: string;
  index: number;
  field: string;
}

export interface SenderRulesOptions {
  database: Database;
  clock: Clock;
  /** Whether a tenant without a list may use the default sender alone. */
  strict: boolean;
  logger: Logger;
}

export function createSenderRules({ database, clock, strict, logger }: SenderRulesOptions): SenderRules {
  const known = new Map<string, Known>();
  let learning = false;

  async function rulesFor(tenants: readonly string[], tx: Queryable): Promise<Map<string, Rule>> {
    const now = clock.monotonic();
    const rules = new Map<string, Rule>();
    for (const tenant of new Set(tenants)) {
      const entry = known.get(tenant);
      rules.set(tenant, entry && now - entry.at < FRESH_MS ? entry.rule : UNREAD);
    }
    const missing = [...rules].filter(([, rule]) => rule === UNREAD).map(([tenant]) => tenant);
    if (missing.length === 0) return rules;
    const whole = 'transaction' in tx;
    const fresh = whole ? await learn(missing) : await read(missing, tx);
    for (const [tenant, rule] of fresh) rules.set(tenant, rule);
    if (!whole) learnBeside(missing);
    return rules;
  }

  async function learn(tenants: readonly string[]): Promise<Map<string, Rule>> {
    const at = clock.monotonic();
    const fresh = await read(tenants, database.prompt());
    if (known.size + fresh.size > MAX_KNOWN) known.clear();
    for (const [tenant, rule] of fresh) known.set(tenant, { rule, at });
    return fresh;
  }

  /**
   * A transaction may see the past (repeatable read), so what it read is not remembered. Asked again on a connection
   * of our own, not waited for, it spares the next transactions the question; the embedded store has no second one.
   */
  function learnBeside(tenants: readonly string[]): void {
    if (learning || database.kind === 'pglite') return;
    learning = true;
    learn(tenants)
      .catch((error: unknown) => logger.debug({ err: messageOf(error) }, 'sender rules not read ahead'))
      .finally(() => {
        learning = false;
      });
  }

  return {
    async judge(tx, emails) {
      const rules = await rulesFor(
        emails.map((email) => email.tenant),
        tx,
      );
      for (const [index, email] of emails.entries()) {
        const refusal = refuse(rules.get(email.tenant)!, email, strict);
        if (refusal) return { accept: false, index, ...refusal };
      }
      return null;
    },
  };
}

async function read(tenants: readonly string[], from: Queryable): Promise<Map<string, Rule>> {
  const { rows } = await from.query<RuleRow>(READ, [tenants]);
  const found = new Map(rows.map((row) => [row.id, { disabled: row.disabled, domains: row.from_domains }]));
  return new Map(tenants.map((tenant) => [tenant, found.get(tenant) ?? NO_RULE]));
}

function refuse(
  rule: Rule,
  { tenant, from }: SentBy,
  strict: boolean,
): Pick<SenderRefusal, 'code' | 'message' | 'field'> | null {
  if (rule.disabled)
    return { code: 'TENANT_DISABLED', message: `The tenant ${tenant} is disabled.`, field: 'companyId' };
  if (from === null) return null;
  const domain = domainOf(from.address);
  const allowed = rule.domains === null ? !strict : rule.domains.includes(domain);
  if (allowed) return null;
  return { code: 'SENDER_NOT_ALLOWED', message: `${tenant} may not send from ${domain}.`, field: 'from' };
}

interface Rule {
  disabled: boolean;
  domains: readonly string[] | null;
}

interface Known {
  rule: Rule;
  at: number;
}

interface RuleRow {
  id: string;
  disabled: boolean;
  from_domains: string[] | null;
}

const NO_RULE: Rule = { disabled: false, domains: null };
const UNREAD: Rule = { disabled: false, domains: null };
const FRESH_MS = 800;
const MAX_KNOWN = 20_000;

const READ = {
  name: 'access_sender_rules',
  text: `select id, disabled_at is not null as disabled, from_domains
         from postrider.tenants where id = any($1::text[])`,
};

import type { Clock } from '../../kernel/index.js';
import type { DkimKey } from '../mime/dkim-keys.js';
import { createDkimSigner, type DkimSigner } from '../mime/dkim-signer.js';
import type { Outcome } from '../provider.js';

/**
 * Signs what goes to SES, over its API or over SMTP. SES refuses a second DKIM-Signature for good, so there is one of
 * ours, or none where the sender's identity signs by itself. Who cannot ask SES for that learns it from the refusal: the
 * email goes again without a signature, and the domain's emails do so for an hour.
 */
export interface SesSigner extends DkimSigner {
  /** Signs nothing of this sender's domain for a while. False where there is no key for it anyway. */
  withhold(from: string): boolean;
}

export function createSesSigner(
  keys: readonly DkimKey[],
  { clock, identitySigns }: { clock: Clock; identitySigns?: (from: string) => Promise<boolean> },
): SesSigner {
  const signer = createDkimSigner(keys, { unsigned: REWRITTEN_BY_SES, single: true });
  const withheldUntil = new Map<string, number>();
  const signs = (from: string) =>
    signer.signs(from) && clock.monotonic() >= (withheldUntil.get(domainOf(from)) ?? 0);
  return {
    signs,
    async sign(message, from) {
      if (!signs(from) || (await identitySigns?.(from))) return message;
      return signer.sign(message, from);
    },
    withhold(from) {
      if (!signer.signs(from)) return false;
      if (withheldUntil.size >= MAX_KNOWN) withheldUntil.clear();
      withheldUntil.set(domainOf(from), clock.monotonic() + HOUR_MS);
      return true;
    },
  };
}

/** A refusal for a second signature is no fault of the email and costs it no attempt: ours was the one too many. */
export function withoutOwnSignature(outcome: Outcome, from: string, signer: SesSigner): Outcome {
  if (outcome.kind !== 'rejected' || !DUPLICATE_SIGNATURE.test(outcome.message) || !signer.withhold(from))
    return outcome;
  const { message, trace } = outcome;
  const code = 'DUPLICATE_DKIM_SIGNATURE';
  return {
    kind: 'deferred',
    scope: 'message',
    code,
    category: 'TRANSIENT_ERROR',
    message,
    trace,
    uncounted: true,
  };
}

/**
 * Whether the identity SES takes for a sender signs by itself: the nearest there is, the address, its domain or one
 * above it. Asked once an hour; where asking fails, for want of the right to, it is taken not to.
 */
export function createIdentityCheck(
  ask: (identity: string) => Promise<boolean | null>,
  clock: Clock,
): (from: string) => Promise<boolean> {
  const known = new Map<string, { signs: Promise<boolean>; until: number }>();

  async function askNearest(from: string): Promise<boolean> {
    for (const identity of identitiesOf(from)) {
      const signs = await ask(identity);
      if (signs !== null) return signs;
    }
    return false;
  }

  return (from) => {
    const found = known.get(from);
    if (found && clock.monotonic() < found.until) return found.signs;
    const asked = {
      signs: askNearest(from).catch(() => {
        asked.until = clock.monotonic() + AFTER_FAILURE_MS;
        return false;
      }),
      until: clock.monotonic() + HOUR_MS,
    };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(from, asked);
    return asked.signs;
  };
}

/** SES's SMTP hosts: by region, with FIPS, in a VPC, in China, and behind their older name. */
export function isSesHost(host: string): boolean {
  return SES_HOST.test(host);
}

const SES_HOST =
  /^(?:(?:[a-z0-9-]{1,63}\.){0,2}email-smtp(?:-fips)?\.[a-z0-9-]{1,40}\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)|ses-smtp-[a-z0-9-]{1,60}\.[a-z0-9-]{1,40}\.elb\.amazonaws\.com)\.?$/i;

/** SES writes its own values here, which would break a signature over ours. */
const REWRITTEN_BY_SES = ['date', 'message-id'];

const DUPLICATE_SIGNATURE = /duplicate header '?dkim-signature/i;
const HOUR_MS = 60 * 60_000;
const AFTER_FAILURE_MS = 5 * 60_000;
const MAX_KNOWN = 1000;

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function identitiesOf(from: string): string[] {
  const labels = domainOf(from).split('.');
  const domains = labels.slice(0, -1).map((_label, at) => labels.slice(at).join('.'));
  return [from, ...domains.slice(0, MAX_ASKED)];
}

const MAX_ASKED = 5;

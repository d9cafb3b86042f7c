import type { Bench } from '../bench.js';
import { accept } from './accept.js';
import { adminEmails } from './admin-emails.js';
import { badRoutes } from './bad-routes.js';
import { campaign } from './campaign.js';
import { claimDepth } from './claim-depth.js';
import { claimSettle } from './claim-settle.js';
import { endToEnd } from './end-to-end.js';
import { engines } from './engines.js';
import { fairness } from './fairness.js';
import { growth } from './growth.js';
import { http } from './http.js';
import { latency } from './latency.js';
import { memory } from './memory.js';
import { peers } from './peers.js';
import { recovery } from './recovery.js';
import { render } from './render.js';
import { scaling } from './scaling.js';
import { unsettled } from './unsettled.js';
import { wal } from './wal.js';
import { webhooks } from './webhooks.js';
import { workers } from './workers.js';

/** Every bench, in the order they run. */
export const BENCHES: readonly Bench[] = [
  accept,
  http,
  campaign,
  claimSettle,
  endToEnd,
  engines,
  latency,
  workers,
  webhooks,
  fairness,
  badRoutes,
  recovery,
  unsettled,
  claimDepth,
  wal,
  memory,
  adminEmails,
  growth,
  render,
  scaling,
  peers,
];

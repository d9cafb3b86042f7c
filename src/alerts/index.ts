export type { ProcessFacts } from './alert.js';
export {
  type AlertEmail,
  type AlertOptions,
  type Alerts,
  type ChannelReport,
  createAlerts,
  type HttpRequest,
  type ShownEpisode,
} from './create-alerts.js';

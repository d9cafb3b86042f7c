import { trimEndOf } from '../kernel/index.js';
import { moment } from './alert.js';
import { ALERTS } from './alerts.js';
import type { DueNotification } from './notifications.js';

/** One message about an episode, in the forms its channels take. */
export type AlertMessage = Omit<DueNotification, 'channel' | 'attempt'>;

type Concerned = Pick<AlertMessage, 'alert' | 'subject' | 'tenant'>;

/** Where an episode leads in the dashboard; null without an address of it. */
export function alertLink(of: Concerned, dashboardUrl: string | null): string | null {
  return dashboardUrl === null ? null : `${trimEndOf(dashboardUrl, '/')}/dashboard/${alertPage(of)}`;
}

export function alertPage({ alert, subject, tenant }: Concerned): string {
  return ALERTS.find(({ id }) => id === alert)?.page(subject, tenant) ?? '';
}

export function alertAction(alert: string): string {
  return ALERTS.find(({ id }) => id === alert)?.action ?? '';
}

/** The body of the signed webhook. */
export function webhookBody(message: AlertMessage, dashboardUrl: string | null, at: Date): object {
  const { kind, episodeId, alert, subject, tenant, severity, sentence, beganAt, endedAt } = message;
  return {
    type: kind === 'begin' ? 'alert.opened' : 'alert.ended',
    created_at: at.toISOString(),
    data: {
      episode_id: episodeId,
      ...{ alert, severity, subject, sentence },
      company_id: tenant,
      began_at: beganAt,
      ended_at: endedAt,
      action: alertAction(alert),
      url: alertLink(message, dashboardUrl),
    },
  };
}

/** Slack and those that take the same read `text`; what could be one of its commands is escaped. */
export function slackBody(message: AlertMessage, dashboardUrl: string | null): object {
  const escaped = textOf(message, dashboardUrl)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return { text: `${message.kind === 'end' ? '🟢' : message.severity === 'page' ? '🔴' : '🟠'} ${escaped}` };
}

export function emailContent(
  message: AlertMessage,
  dashboardUrl: string | null,
): { subject: string; text: string; html: string } {
  const state = message.kind === 'end' ? 'Over' : message.severity === 'page' ? 'Alert' : 'Notice';
  const lines = linesOf(message, dashboardUrl);
  return {
    subject: `[Postrider] ${state}: ${message.alert}${message.subject === '' ? '' : ` (${message.subject})`}`,
    text: lines.join('\n'),
    html: lines.map((line) => `<p style="margin:0 0 8px">${inHtml(line)}</p>`).join('\n'),
  };
}

function textOf(message: AlertMessage, dashboardUrl: string | null): string {
  return linesOf(message, dashboardUrl).join('\n');
}

/** What is wrong; since when and whom it concerns; what to do; where to look. */
function linesOf(message: AlertMessage, dashboardUrl: string | null): string[] {
  const { kind, alert, tenant, sentence, beganAt, endedAt } = message;
  const link = alertLink(message, dashboardUrl);
  const concerns = `concerns ${tenant === null ? 'every tenant' : `the tenant ${tenant}`}`;
  const time =
    kind === 'end' && endedAt !== null
      ? `From ${moment(beganAt)} to ${moment(endedAt)}`
      : `Since ${moment(beganAt)}`;
  return [
    kind === 'end' ? `Over: ${sentence}` : sentence,
    `${time}; ${concerns}; alert ${alert}.`,
    ...(kind === 'begin' && alertAction(alert) !== '' ? [`What to do: ${alertAction(alert)}`] : []),
    ...(link === null ? [] : [link]),
  ];
}

function inHtml(line: string): string {
  const escaped = line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return /^https?:\/\/\S+$/.test(line) ? `<a href="${escaped}">${escaped}</a>` : escaped;
}

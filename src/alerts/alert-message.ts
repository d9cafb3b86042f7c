import { trimEndOf } from '../kernel/index.js';
import { ALERTS } from './alerts.js';
import type { DueNotification } from './notifications.js';

/** One message about an episode, in the forms its channels take. */
export type AlertMessage = Omit<DueNotification, 'channel' | 'attempt'>;

/** Where an episode leads in the dashboard; null without an address of it. */
export function alertLink(alert: string, dashboardUrl: string | null): string | null {
  return dashboardUrl === null ? null : `${trimEndOf(dashboardUrl, '/')}/dashboard/${alertPage(alert)}`;
}

export function alertPage(alert: string): string {
  return ALERTS.find(({ id }) => id === alert)?.page ?? '';
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
      url: alertLink(alert, dashboardUrl),
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
): { subject: string; text: string } {
  const state = message.kind === 'end' ? 'Over' : message.severity === 'page' ? 'Alert' : 'Notice';
  return {
    subject: `[Postrider] ${state}: ${message.alert}${message.subject === '' ? '' : ` (${message.subject})`}`,
    text: textOf(message, dashboardUrl),
  };
}

function textOf(message: AlertMessage, dashboardUrl: string | null): string {
  const { kind, alert, tenant, sentence, beganAt, endedAt } = message;
  const link = alertLink(alert, dashboardUrl);
  const company = tenant === null ? '' : `\nCompany: ${tenant}`;
  const end = kind === 'end' ? `Over since ${endedAt ?? 'now'}. It was: ` : '';
  const todo = kind === 'begin' ? `\nWhat to do: ${alertAction(alert)}` : '';
  return `${end}${sentence}\nAlert: ${alert}, since ${beganAt}${company}${todo}${link ? `\n${link}` : ''}`;
}

/** The way of an email as steps: those behind it with their time, the one it is at, those that would follow. */
import type { EmailDetail } from '../../src/email-details.js';
import type { EmailEvent } from '../../src/views/index.js';
import type { Tone } from '../theme.js';
import { Icon, type IconName } from './icon.js';
import { ago } from './time-text.js';

interface Step {
  name: string;
  at: string | null;
  tone: Tone;
  icon: IconName;
  state: 'done' | 'now' | 'ahead';
}

export function EmailPath({ email, events }: { email: EmailDetail; events: readonly EmailEvent[] }) {
  return (
    <ol className="path" aria-label="The way of this email">
      {stepsOf(email, events).map((step) => (
        <li key={step.name} data-state={step.state} data-tone={step.state === 'ahead' ? 'quiet' : step.tone}>
          <span className="path-dot">
            <Icon name={step.icon} size={16} />
          </span>
          <span className="path-name">{step.name}</span>
          <span className="path-at">{step.at ? ago(Date.parse(step.at), Date.now()) : ' '}</span>
        </li>
      ))}
    </ol>
  );
}

const ENDS: Record<string, [string, Tone, IconName]> = {
  sent: ['Sent', 'good', 'check'],
  failed: ['Failed', 'bad', 'cross'],
  unknown: ['Outcome unknown', 'bad', 'warning'],
  cancelled: ['Cancelled', 'quiet', 'stop'],
  suppressed: ['Suppressed', 'quiet', 'shield'],
  expired: ['Expired', 'quiet', 'clock'],
};
const TOLD: Record<string, [string, Tone, IconName]> = {
  DELIVERED: ['Delivered', 'good', 'inbox'],
  BOUNCED: ['Bounced', 'bad', 'cross'],
  COMPLAINED: ['Complained', 'bad', 'warning'],
};

function stepsOf(email: EmailDetail, events: readonly EmailEvent[]): Step[] {
  const { status } = email;
  const last = (type: string) => events.findLast((event) => event.type === type)?.createdAt ?? null;
  const end = ENDS[status];
  const steps: Step[] = [step('Accepted', email.createdAt, 'good', 'mail', 'done')];
  if (email.scheduledAt || status === 'scheduled')
    steps.push(
      step('Scheduled', email.scheduledAt, 'calm', 'clock', status === 'scheduled' ? 'now' : 'done'),
    );
  if (status === 'pending') steps.push(step('Waiting', null, 'calm', 'clock', 'now'));
  const tried = email.attempts > 0 || status === 'processing';
  if (tried)
    steps.push(
      step(
        email.attempts > 1 ? `Tried ${email.attempts} times` : 'Tried',
        last('SENT_ATTEMPT'),
        'calm',
        'send',
        status === 'processing' ? 'now' : 'done',
      ),
    );
  if (status === 'retry') steps.push(step('Tries again', email.nextAttemptAt, 'wait', 'retry', 'now'));
  if (end) steps.push(step(end[0], email.processedAt, end[1], end[2], 'done'));
  else steps.push(step('Sent', null, 'good', 'check', 'ahead'));
  for (const [type, [name, tone, icon]] of Object.entries(TOLD)) {
    const at = last(type);
    if (at) steps.push(step(name, at, tone, icon, 'done'));
  }
  return steps;
}

function step(name: string, at: string | null, tone: Tone, icon: IconName, state: Step['state']): Step {
  return { name, at, tone, icon, state };
}

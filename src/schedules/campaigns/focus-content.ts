import type { AudienceMember } from '../../recipients/index.js';
import type { Occasion } from '../campaign.js';
import { FOCUS_WORDS, type FocusStage } from './focus-words.js';

/**
 * What a person's week is about, from what is stored of their last days: how steadily they came, how long they were
 * away, what they did most. An application that knows more gives a function of its own.
 */
export type FocusContent = (person: AudienceMember, occasion: Occasion) => Focus | Promise<Focus>;

export interface Focus {
  /** One line of up to 100 characters. */
  topic: string;
  summary?: string;
  tips: string[];
  actions: Array<{ title: string; url?: string }>;
}

export const focusFromActivity: FocusContent = (person, { slot }) => {
  const words = FOCUS_WORDS[languageOf(person.language)];
  const stage = words.stages[stageOf(person, slot.getTime())];
  const [most] = [...person.recentActivity].sort((a, b) => b.count - a.count);
  const summary = [
    ...(person.streakDays >= 2 ? [words.streak(person.streakDays)] : []),
    ...(most ? [words.most(most.kind, most.count)] : []),
  ].join(' ');
  return {
    topic: stage.topic,
    ...(summary !== '' && { summary }),
    tips: [...stage.tips],
    actions: [...stage.actions, ...(most ? [words.again(most.kind)] : [])].map((title) => ({ title })),
  };
};

/** Stages people go through; the first that fits. */
function stageOf({ streakDays, recentActivity, ...person }: AudienceMember, slot: number): FocusStage {
  const lastSeen = Math.max(Number(person.lastActiveAt), Number(person.lastCheckInAt));
  if (lastSeen === 0) return 'beginning';
  if (slot - lastSeen > WEEK_MS) return 'returning';
  if (streakDays >= 7) return 'steady';
  const times = recentActivity.reduce((sum, { count }) => sum + count, 0);
  return times >= BUSY ? 'busy' : 'growing';
}

const WEEK_MS = 7 * 86_400_000;
const BUSY = 10;

function languageOf(language: string | null): keyof typeof FOCUS_WORDS {
  const base = (language ?? 'en').toLowerCase().split('-')[0]!;
  return base === 'de' || base === 'ko' ? base : 'en';
}

/** The words of the unsubscribe page. A kind of email without a name here is shown by its own. */
export interface PageTexts {
  title: string;
  /** `{kind}` stands for the kind of email. */
  ask: string;
  asked: string;
  allRefused: string;
  unsubscribe: string;
  others: string;
  othersHint: string;
  save: string;
  all: string;
  allHint: string;
  saved: string;
  unknownTitle: string;
  unknown: string;
  kinds: Record<string, string>;
}

export const PAGE_LANGUAGES = ['en', 'de', 'ko'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The link's own word first, then what the browser asks for, best first. */
export function languageOf(asked: string | undefined, accepted: string | undefined): PageLanguage {
  const wanted = [asked ?? '', ...byPreference(accepted ?? '')];
  for (const tag of wanted) {
    const language = PAGE_LANGUAGES.find((known) => known === tag.trim().slice(0, 2).toLowerCase());
    if (language) return language;
  }
  return 'en';
}

export function textsOf(language: PageLanguage): PageTexts {
  return TEXTS[language];
}

function byPreference(header: string): string[] {
  return header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...rest] = part.split(';');
      const q = Number(/q\s*=\s*([\d.]+)/.exec(rest.join(';'))?.[1] ?? 1);
      return { tag, q: Number.isFinite(q) ? q : 0 };
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ tag }) => tag);
}

const TEXTS: Record<PageLanguage, PageTexts> = {
  en: {
    title: 'Email preferences',
    ask: 'Do you want to stop getting “{kind}” emails?',
    asked: 'You no longer get “{kind}” emails.',
    allRefused: 'You get no more emails from us, except about signing in and the safety of your account.',
    unsubscribe: 'Unsubscribe',
    others: 'What you get',
    othersHint: 'Emails about signing in and the safety of your account always reach you.',
    save: 'Save',
    all: 'Unsubscribe from everything',
    allHint: 'Except emails about signing in and the safety of your account.',
    saved: 'Saved.',
    unknownTitle: 'This link does not work',
    unknown:
      'It may have been cut off on its way. Open it again from the email, or write to whoever sent it.',
    kinds: {
      weeklyFocus: 'Weekly focus',
      reminders: 'Reminders',
      streakWarnings: 'Streak warnings',
      reEngagement: 'News while you are away',
      circles: 'Circles and meetings',
      newsletter: 'Newsletter',
      marketing: 'News and offers',
    },
  },
  de: {
    title: 'E-Mail-Einstellungen',
    ask: 'Möchten Sie keine E-Mails „{kind}“ mehr erhalten?',
    asked: 'Sie erhalten keine E-Mails „{kind}“ mehr.',
    allRefused:
      'Sie erhalten keine E-Mails mehr von uns, außer zur Anmeldung und zur Sicherheit Ihres Kontos.',
    unsubscribe: 'Abmelden',
    others: 'Was Sie erhalten',
    othersHint: 'E-Mails zur Anmeldung und zur Sicherheit Ihres Kontos erreichen Sie immer.',
    save: 'Speichern',
    all: 'Von allem abmelden',
    allHint: 'Außer von E-Mails zur Anmeldung und zur Sicherheit Ihres Kontos.',
    saved: 'Gespeichert.',
    unknownTitle: 'Dieser Link funktioniert nicht',
    unknown:
      'Vielleicht wurde er unterwegs abgeschnitten. Öffnen Sie ihn noch einmal aus der E-Mail, oder schreiben Sie dem Absender.',
    kinds: {
      weeklyFocus: 'Wochenfokus',
      reminders: 'Erinnerungen',
      streakWarnings: 'Serie in Gefahr',
      reEngagement: 'Neues während Ihrer Abwesenheit',
      circles: 'Kreise und Treffen',
      newsletter: 'Newsletter',
      marketing: 'Neuigkeiten und Angebote',
    },
  },
  ko: {
    title: '이메일 설정',
    ask: '“{kind}” 이메일을 더 이상 받지 않으시겠습니까?',
    asked: '“{kind}” 이메일을 더 이상 보내지 않습니다.',
    allRefused: '로그인과 계정 보안에 관한 이메일을 제외하고 더 이상 이메일을 보내지 않습니다.',
    unsubscribe: '수신 거부',
    others: '받는 이메일',
    othersHint: '로그인과 계정 보안에 관한 이메일은 항상 전달됩니다.',
    save: '저장',
    all: '모두 수신 거부',
    allHint: '로그인과 계정 보안에 관한 이메일은 제외됩니다.',
    saved: '저장했습니다.',
    unknownTitle: '이 링크는 사용할 수 없습니다',
    unknown: '링크가 중간에 잘렸을 수 있습니다. 이메일에서 다시 열거나 보낸 사람에게 문의해 주세요.',
    kinds: {
      weeklyFocus: '이번 주의 초점',
      reminders: '알림',
      streakWarnings: '연속 기록 알림',
      reEngagement: '오랜만에 보내는 소식',
      circles: '모임과 회의',
      newsletter: '뉴스레터',
      marketing: '소식과 혜택',
    },
  },
};

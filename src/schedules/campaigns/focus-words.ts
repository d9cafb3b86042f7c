/** What the weekly focus says where the application does not say it, in the languages of the catalogue. */
export type FocusStage = 'beginning' | 'growing' | 'steady' | 'busy' | 'returning';

interface StageWords {
  topic: string;
  tips: readonly string[];
  actions: readonly string[];
}

interface LanguageWords {
  stages: Record<FocusStage, StageWords>;
  streak(days: number): string;
  /** What was done most; the kind is the application's own word. */
  most(kind: string, count: number): string;
  again(kind: string): string;
}

export const FOCUS_WORDS: Record<'en' | 'de' | 'ko', LanguageWords> = {
  en: {
    stages: {
      beginning: {
        topic: 'A first step',
        tips: ['Choose a time of day that is yours.', 'Begin with less than you think you can do.'],
        actions: ['Check in for the first time'],
      },
      growing: {
        topic: 'One day more than last week',
        tips: [
          'Tie it to something you do every day anyway.',
          'A short check-in counts as much as a long one.',
        ],
        actions: ['Pick the day you usually miss, and plan it'],
      },
      steady: {
        topic: 'Keeping what works',
        tips: ['Notice what made the good days easy.', 'Plan for the day that will be difficult.'],
        actions: ['Write down what has changed since you began'],
      },
      busy: {
        topic: 'Less, and with more attention',
        tips: ['Leave one thing out this week on purpose.', 'End the day by naming what went well.'],
        actions: ['Keep one evening free'],
      },
      returning: {
        topic: 'Coming back',
        tips: ['There is nothing to catch up on.', 'One small thing today is a good beginning.'],
        actions: ['Check in today'],
      },
    },
    streak: (days) => `You have come ${days} days in a row.`,
    most: (kind, count) => `What you did most last week: ${kind} (${count}).`,
    again: (kind) => `Once more this week: ${kind}`,
  },
  de: {
    stages: {
      beginning: {
        topic: 'Ein erster Schritt',
        tips: [
          'Wählen Sie eine Tageszeit, die Ihnen gehört.',
          'Beginnen Sie mit weniger, als Sie sich zutrauen.',
        ],
        actions: ['Zum ersten Mal einchecken'],
      },
      growing: {
        topic: 'Ein Tag mehr als letzte Woche',
        tips: [
          'Verbinden Sie es mit etwas, das Sie ohnehin täglich tun.',
          'Ein kurzer Check-in zählt so viel wie ein langer.',
        ],
        actions: ['Den Tag einplanen, der sonst ausfällt'],
      },
      steady: {
        topic: 'Behalten, was gelingt',
        tips: [
          'Achten Sie darauf, was die guten Tage leicht gemacht hat.',
          'Planen Sie den schwierigen Tag im Voraus.',
        ],
        actions: ['Aufschreiben, was sich seit dem Anfang verändert hat'],
      },
      busy: {
        topic: 'Weniger, mit mehr Aufmerksamkeit',
        tips: ['Lassen Sie diese Woche eine Sache bewusst weg.', 'Nennen Sie am Abend, was gut war.'],
        actions: ['Einen Abend freihalten'],
      },
      returning: {
        topic: 'Wiederkommen',
        tips: ['Es gibt nichts nachzuholen.', 'Eine Kleinigkeit heute ist ein guter Anfang.'],
        actions: ['Heute einchecken'],
      },
    },
    streak: (days) => `Sie waren ${days} Tage hintereinander da.`,
    most: (kind, count) => `Am häufigsten letzte Woche: ${kind} (${count}).`,
    again: (kind) => `Diese Woche noch einmal: ${kind}`,
  },
  ko: {
    stages: {
      beginning: {
        topic: '첫걸음',
        tips: ['나만의 시간을 정해 보세요.', '할 수 있다고 생각하는 것보다 적게 시작하세요.'],
        actions: ['첫 체크인 하기'],
      },
      growing: {
        topic: '지난주보다 하루 더',
        tips: ['매일 하는 일과 함께 묶어 보세요.', '짧은 체크인도 긴 체크인만큼 의미가 있습니다.'],
        actions: ['자주 놓치는 요일을 미리 계획하기'],
      },
      steady: {
        topic: '잘되는 것을 지키기',
        tips: ['좋은 날이 왜 쉬웠는지 살펴보세요.', '어려운 날을 미리 준비하세요.'],
        actions: ['시작한 뒤 달라진 점을 적어 보기'],
      },
      busy: {
        topic: '더 적게, 더 집중해서',
        tips: ['이번 주에는 한 가지를 일부러 내려놓으세요.', '하루를 마치며 잘된 일을 말해 보세요.'],
        actions: ['하루 저녁을 비워 두기'],
      },
      returning: {
        topic: '다시 돌아오기',
        tips: ['밀린 것은 없습니다.', '오늘의 작은 한 가지가 좋은 시작입니다.'],
        actions: ['오늘 체크인하기'],
      },
    },
    streak: (days) => `${days}일 연속으로 함께하셨습니다.`,
    most: (kind, count) => `지난주에 가장 많이 한 일: ${kind} (${count}회).`,
    again: (kind) => `이번 주에 한 번 더: ${kind}`,
  },
};

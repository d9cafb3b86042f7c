/** The few pictures the dashboard needs, drawn with one line each; they say nothing a label does not. */
const PATHS = {
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
  stop: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6M15 9l-6 6',
  page: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  people:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 20a6 6 0 0 1 12 0M16 5.5a3 3 0 0 1 0 5M17.5 14.5A6 6 0 0 1 21 20',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z',
  gauge: 'M4 18a8 8 0 1 1 16 0M12 16l4-5',
  hook: 'M8 12a4 4 0 1 1 5-4l3 6M16 13a4 4 0 1 1-3 6H8M8 16a3 3 0 1 0 0 3',
  building: 'M5 21V5l7-2v18M12 8h7v13M8 8h1M8 12h1M8 16h1M15 12h1M15 16h1M3 21h18',
  key: 'M8 15a4 4 0 1 1 3-6.6L20 8l1 2-2 2-2-1-1 2-2-1-3.2.6A4 4 0 0 1 8 15z',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  cog: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 2h4l1-2h5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  moon: 'M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  check: 'M5 12l5 5 9-10',
  cross: 'M6 6l12 12M18 6L6 18',
  retry: 'M20 11a8 8 0 1 0-2 6M20 5v6h-6',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  out: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  leave: 'M10 4H4v16h6M14 8l4 4-4 4M18 12H9',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  send: 'M4 12l17-8-6 17-3-7z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  chevron: 'M9 6l6 6-6 6',
  plus: 'M12 5v14M5 12h14',
  phone: 'M8 3h8v18H8zM11 18h2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

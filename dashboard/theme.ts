/** Paper, slate and fjord, as on the emails themselves: quiet surfaces, one colour for what can be acted on. */
import { createTheme, type MantineColorsTuple, type MantineTheme } from '@mantine/core';

const fjord: MantineColorsTuple = [
  '#eef4f6',
  '#dde8ec',
  '#bcd2da',
  '#98bac7',
  '#7aa5b6',
  '#5f91a5',
  '#457a8f',
  '#356072',
  '#2b4f5e',
  '#203c48',
];

const slate: MantineColorsTuple = [
  '#e9eef0',
  '#c9d3d8',
  '#a4b2b9',
  '#7f9099',
  '#55656e',
  '#36444c',
  '#27333a',
  '#1c262c',
  '#151d22',
  '#0e1417',
];

const FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
export const CODE_FONT =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

export const theme = createTheme({
  primaryColor: 'fjord',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  colors: { fjord, dark: slate },
  black: '#22303a',
  fontFamily: FONT,
  fontFamilyMonospace: CODE_FONT,
  headings: { fontFamily: FONT, fontWeight: '600' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } } },
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'sm' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Loader: { defaultProps: { size: 'sm' } },
  },
});

/** Of the tones a status or a plot has, in the scheme that is on. */
export const TONES = {
  good: { light: '#3f7453', dark: '#86b898' },
  calm: { light: '#356072', dark: '#8bb8c8' },
  wait: { light: '#8a6414', dark: '#d6b25e' },
  bad: { light: '#9a4a32', dark: '#e09c82' },
  quiet: { light: '#5c6b74', dark: '#93a2aa' },
} as const;

export type Tone = keyof typeof TONES;

/** Mantine's own dimmed text is a little too pale on our paper to be read by everyone. */
export const cssVariables = (_theme: MantineTheme) => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f5f7f5',
    '--mantine-color-dimmed': '#5c6b74',
    '--mantine-color-placeholder': '#66757e',
    '--mantine-color-default-border': '#d5dcd9',
    '--mantine-color-error': '#9a4a32',
    '--mantine-primary-color-contrast': '#ffffff',
    '--sheet': '#ffffff',
    '--line': '#dde3e0',
    '--mist': '#e9f0f1',
    ...toneVariables('light'),
  },
  dark: {
    '--mantine-color-body': '#12181c',
    '--mantine-color-dimmed': '#9aa9b1',
    '--mantine-color-placeholder': '#8b9aa2',
    '--mantine-color-default': '#1c262c',
    '--mantine-color-default-border': '#33414a',
    '--mantine-color-error': '#e09c82',
    '--mantine-primary-color-contrast': '#12181c',
    '--sheet': '#192126',
    '--line': '#2a353b',
    '--mist': '#21303a',
    ...toneVariables('dark'),
  },
});

function toneVariables(scheme: 'light' | 'dark'): Record<string, string> {
  return Object.fromEntries(Object.entries(TONES).map(([name, tone]) => [`--tone-${name}`, tone[scheme]]));
}

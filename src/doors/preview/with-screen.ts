/** An email as a light or a dark screen shows it, whatever the screen it is looked at on. */
export function withScreen(html: string, screen: 'light' | 'dark'): string {
  const answer = screen === 'dark' ? 'min-width:0' : 'max-width:0';
  return html
    .replace(/\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi, `(${answer})`)
    .replace(/(<meta name="(?:supported-)?color-schemes?" content=")light dark"/gi, `$1${screen}"`)
    .replace(/color-scheme:light dark/gi, `color-scheme:${screen}`);
}

/** CSS that mail programs drop or read otherwise than browsers do, as sentences. Looks at declarations, not at sense. */
export function inspectClientCss(css: string): string[] {
  return RULES.filter(([pattern]) => pattern.test(css)).map(([, problem]) => problem);
}

const RULES: ReadonlyArray<readonly [RegExp, string]> = [
  [/display\s*:\s*(?:inline-)?flex/i, 'flex does not lay out anything in Outlook and Gmail'],
  [/display\s*:\s*(?:inline-)?grid/i, 'grid does not lay out anything in Outlook and Gmail'],
  [/(?:^|[;{\s])position\s*:/i, 'position is removed by most programs'],
  [/(?:^|[;{\s])float\s*:/i, 'float is ignored by Outlook; use a table'],
  [
    /(?:^|[;{\s])(?:transform|animation|transition|filter|clip-path)\s*:/i,
    'effects are removed by most programs',
  ],
  [/url\s*\(/i, 'a style loads something from outside; many programs block it'],
  [/@(?:import|font-face)/i, 'style sheets and fonts from outside are not loaded'],
  [/var\s*\(/i, 'CSS variables are not known to many programs'],
  [/calc\s*\(/i, 'calc is not known to Outlook'],
  [/(?:^|[;{\s])margin(?:-\w+)?\s*:[^;]{0,60}-\d/i, 'negative margins are removed'],
];

import { BASE_STYLE } from '../../dev-page/index.js';

/** How the page of the API looks: the paper of the other pages, one column, routes that unfold. */
export const STYLE = `${BASE_STYLE}
html, body { height: auto; }
header, main { max-width: 920px; width: 100%; margin: 0 auto; padding: 24px 20px 0; }
main { padding-bottom: 80px; }
h1 { font-size: 26px; margin: 0 0 8px; } h2 { font-size: 19px; margin: 28px 0 10px; } h3 { font-size: 13px; margin: 16px 0 6px; color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: 6px 16px; }
code, pre { font-family: var(--code); font-size: 13px; }
details { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; margin: 6px 0; padding: 0 14px; overflow-x: auto; }
details[open] { padding-bottom: 14px; }
summary { cursor: pointer; padding: 9px 0; }
summary em { font-style: normal; color: var(--soft); margin-left: 6px; }
summary span { display: inline-block; min-width: 58px; font: 600 12px var(--code); color: var(--fjord); }
summary .delete { color: var(--rust); } summary .post, summary .put, summary .patch { color: var(--moss); }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-top: 1px solid var(--line); font-weight: 400; }
th { white-space: nowrap; } td:last-child { color: var(--soft); }
pre { background: var(--mist); border-radius: 6px; padding: 10px 12px; overflow-x: auto; }
`;

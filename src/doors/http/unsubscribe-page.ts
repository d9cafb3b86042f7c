/** The page of an unsubscribe link: plain HTML that works without script, light and dark, on any screen. */
import type { ShownSubscriptions } from './unsubscribe-room.js';
import type { PageLanguage, PageTexts } from './unsubscribe-texts.js';

export type PageState = { kind: 'unknown' } | ({ kind: 'shown'; done: boolean } & ShownSubscriptions);

export function unsubscribePage(
  state: PageState,
  { language, texts }: { language: PageLanguage; texts: PageTexts },
): string {
  const heading = state.kind === 'unknown' ? texts.unknownTitle : texts.title;
  const main = state.kind === 'unknown' ? `<p>${texts.unknown}</p>` : choices(state, texts);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${main}
</main>
</body>
</html>
`;
}

function choices(state: Extract<PageState, { kind: 'shown' }>, texts: PageTexts): string {
  const label = (name: string) =>
    escaped(Object.hasOwn(texts.kinds, name) ? texts.kinds[name]! : inWords(name));
  const own = state.categories.find(({ name }) => name === state.category);
  const subscribed = own?.subscribed ?? !state.all;
  const said = (subscribed ? texts.ask : state.all ? texts.allRefused : texts.asked).replace('{kind}', () =>
    label(state.category),
  );
  const parts = [`<p class="lead">${said}</p>`];
  if (subscribed)
    parts.push(
      `<form method="post"><button class="main" name="action" value="one">${texts.unsubscribe}</button></form>`,
    );
  if (state.done) parts.push(`<p class="note" role="status">${texts.saved}</p>`);
  const boxes = state.categories.map(
    ({ name, subscribed: isOn }) =>
      `<label><input type="checkbox" name="keep" value="${escaped(name)}"${isOn ? ' checked' : ''}><span>${label(name)}</span></label>`,
  );
  parts.push(`<section>
<h2>${texts.others}</h2>
<form method="post">
${boxes.join('\n')}
<p class="hint">${texts.othersHint}</p>
<button name="action" value="choose">${texts.save}</button>
</form>
</section>`);
  if (!state.all)
    parts.push(`<section>
<form method="post"><button name="action" value="all">${texts.all}</button></form>
<p class="hint">${texts.allHint}</p>
</section>`);
  return parts.join('\n');
}

/** productNews → Product news */
function inWords(name: string): string {
  const words = name
    .replace(/[_.-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root{--ground:#f4f6f7;--card:#fff;--ink:#1c2429;--soft:#5f6b73;--line:#dde3e6;--main:#2f5d62;--on-main:#fff}
@media (prefers-color-scheme:dark){:root{--ground:#14191c;--card:#1d2428;--ink:#e8edef;--soft:#9fabb2;--line:#333d43;--main:#8fc1c4;--on-main:#0f1517}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;align-items:flex-start;justify-content:center;padding:clamp(0px,8vh,96px) 0;background:var(--ground);color:var(--ink);font:17px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans KR",sans-serif;word-break:keep-all;overflow-wrap:anywhere}
main{width:100%;max-width:520px;background:var(--card);padding:40px;border:1px solid var(--line);border-radius:12px}
h1{font-size:22px;line-height:1.3;margin:0 0 16px}
h2{font-size:17px;margin:0 0 12px}
p{margin:0 0 20px}
.lead{font-size:18px}
.hint,.note{color:var(--soft);font-size:15px}
.note{margin-top:16px}
section{border-top:1px solid var(--line);margin-top:28px;padding-top:24px}
section .hint:last-child{margin:12px 0 0}
label{display:flex;gap:12px;align-items:center;min-height:44px}
input{width:20px;height:20px;margin:0;flex:none;accent-color:var(--main)}
form .hint{margin-top:8px}
button{font:inherit;min-height:44px;padding:8px 20px;border-radius:8px;border:1px solid var(--line);background:transparent;color:var(--ink);cursor:pointer}
button.main{background:var(--main);border-color:var(--main);color:var(--on-main);font-weight:600}
button:focus-visible,input:focus-visible{outline:3px solid var(--main);outline-offset:2px}
@media (max-width:560px){body{padding:0}main{border:0;border-radius:0;min-height:100vh;padding:28px 20px}button{width:100%}}
`;

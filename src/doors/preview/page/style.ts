/** The look of the page of templates: that of the inbox, in three columns; one under the other on a phone. */
export const STYLE = `
button, select {
  font: inherit; font-size: 14px; color: var(--ink); background: var(--sheet); border: 1px solid var(--line);
  border-radius: 8px; padding: 5px 12px; min-height: 34px; cursor: pointer;
}
button:hover { border-color: var(--fjord); }
button:disabled { opacity: .55; cursor: default; }
button.primary { background: var(--fjord); border-color: var(--fjord); color: var(--fjord-ink); }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; padding: 12px 20px; border-bottom: 1px solid var(--line); }
.top h1 { margin: 0; font-size: 17px; font-weight: 600; white-space: nowrap; }
.top h1 a { color: inherit; text-decoration: none; }
.top h1 span { color: var(--soft); font-weight: 400; }
.top button { white-space: nowrap; }
.aside { font-size: 14px; }
.live { margin: 0 auto 0 2px; color: var(--soft); font-size: 13px; display: flex; align-items: center; gap: 7px; }
.live::before { content: ''; width: 7px; height: 7px; border-radius: 50%; background: var(--soft); }
.live.on::before { background: var(--moss); }
.notice { margin: 0; padding: 9px 20px; background: var(--mist); }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: 250px minmax(0, 1fr) minmax(260px, 340px); }
nav, aside { overflow-y: auto; padding: 14px; }
nav { border-right: 1px solid var(--line); }
aside { border-left: 1px solid var(--line); display: flex; flex-direction: column; gap: 10px; }
nav input, textarea { width: 100%; font: inherit; color: var(--ink); background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
nav input { font-size: 14px; padding: 6px 12px; }
textarea { flex: 1; min-height: 240px; resize: vertical; padding: 10px 12px; font: 13px/1.5 var(--code); tab-size: 2; }
nav h3 { margin: 16px 8px 4px; font-size: 13px; font-weight: 500; color: var(--soft); }
nav a { display: block; padding: 5px 8px; border-radius: 7px; color: inherit; text-decoration: none; font-size: 14px; overflow-wrap: anywhere; }
nav a:hover { background: var(--mist); }
nav a[aria-current] { background: var(--mist); box-shadow: inset 3px 0 0 var(--fjord); }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 10px; }
.bar label { font-weight: 600; margin-right: auto; }
.choice { display: flex; }
.choice button { border-radius: 0; margin-left: -1px; }
.choice button:first-child { border-radius: 8px 0 0 8px; margin: 0; }
.choice button:last-child { border-radius: 0 8px 8px 0; }
.choice button[aria-pressed=true] { background: var(--mist); color: var(--fjord); font-weight: 600; }
.soft { color: var(--soft); font-size: 13px; }
.view { display: flex; flex-direction: column; min-height: 0; padding: 14px 18px 18px; }
#subject { margin: 14px 0 10px; font-size: 18px; font-weight: 600; overflow-wrap: anywhere; }
#pane { flex: 1; min-height: 0; display: flex; justify-content: center; overflow: auto; }
#pane iframe { width: 100%; height: 100%; border: 1px solid var(--line); border-radius: 10px; background: #fff; }
#pane iframe.phone { width: 390px; max-width: 100%; }
pre { margin: 0; width: 100%; font: 13px/1.6 var(--code); white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; align-self: flex-start; }
.stale :is(#subject, #pane, #facts, #warnings, #files) { opacity: .35; }
.error { margin: 0; padding: 9px 12px; border-radius: 8px; background: var(--rust-mist); color: var(--rust); font-size: 14px; overflow-wrap: anywhere; }
ul.error { padding-left: 28px; }
details { font-size: 14px; }
details pre { margin-top: 6px; max-height: 240px; overflow: auto; }
@media (max-width: 900px) {
  main { display: block; overflow-y: auto; }
  nav, aside { border: 0; overflow: visible; }
  #list { max-height: 180px; overflow-y: auto; }
  #pane iframe { height: 70vh; }
}
@media (max-width: 480px) { .top button { flex: 1 0 100%; min-height: 40px; } }
`;

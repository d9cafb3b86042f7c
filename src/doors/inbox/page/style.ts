/** The look of the inbox page: paper, slate and fjord; light and dark; one column on a phone. */
export const STYLE = `
h2:focus-visible { outline: none; }
button {
  font: inherit; font-size: 14px; color: var(--ink); background: var(--sheet); border: 1px solid var(--line);
  border-radius: 8px; padding: 5px 14px; min-height: 34px; cursor: pointer; white-space: nowrap;
}
button:hover { border-color: var(--fjord); }
button:disabled { opacity: .55; cursor: default; border-color: var(--line); }
button.primary { background: var(--fjord); border-color: var(--fjord); color: var(--fjord-ink); }
button.primary:hover:not(:disabled) { filter: brightness(1.08); }
.top { display: flex; align-items: center; gap: 10px; padding: 12px 20px; border-bottom: 1px solid var(--line); }
.top h1 { margin: 0; white-space: nowrap; font-size: 17px; font-weight: 600; letter-spacing: -.01em; }
.top h1 a { color: inherit; text-decoration: none; }
.top h1 span { color: var(--soft); font-weight: 400; }
.live { margin: 0 auto 0 8px; color: var(--soft); font-size: 13px; display: flex; align-items: center; gap: 7px; }
.live::before { content: ''; width: 7px; height: 7px; border-radius: 50%; background: var(--soft); }
.live.on::before { background: var(--moss); }
.top .aside { font-size: 14px; }
.acts { display: flex; gap: 10px; }
.notice { margin: 0; padding: 9px 20px; background: var(--rust-mist); color: var(--rust); }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(260px, 360px) minmax(0, 1fr); }
nav { border-right: 1px solid var(--line); display: flex; flex-direction: column; min-height: 0; }
.find { display: flex; align-items: center; gap: 10px; padding: 12px 16px; color: var(--soft); font-size: 13px; }
.find input {
  flex: 1; min-width: 0; font: inherit; font-size: 14px; padding: 6px 12px; border-radius: 8px; border: 1px solid var(--line);
  background: var(--sheet); color: var(--ink);
}
.find input::placeholder { color: var(--soft); opacity: 1; }
#list { list-style: none; margin: 0; padding: 0 8px 16px; overflow-y: auto; flex: 1; }
#list a {
  display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 10px; padding: 10px 12px; border-radius: 8px;
  color: inherit; text-decoration: none;
}
#list a:hover { background: var(--mist); }
#list a[aria-current] { background: var(--mist); box-shadow: inset 3px 0 0 var(--fjord); }
#list a > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#list .to, #list time { color: var(--soft); font-size: 13px; }
#list .line { grid-column: 1 / -1; }
#list .new .line { font-weight: 600; }
.quiet { color: var(--soft); margin: 0; padding: 4px 20px 12px; }
.start { align-self: center; justify-self: center; max-width: 720px; width: 100%; padding: 24px; text-align: center; color: var(--soft); }
.start svg { width: 104px; fill: none; stroke: var(--line); stroke-width: 2.5; stroke-linejoin: round; }
.start h2 { color: var(--ink); font-size: 21px; font-weight: 600; margin: 14px 0 4px; }
.start p { margin: 0 0 16px; }
.command { position: relative; text-align: left; }
pre { font: 13px/1.6 var(--code); margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
.command pre { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: 14px 84px 14px 16px; color: var(--ink); }
.command button { position: absolute; top: 9px; right: 9px; }
.start .or { margin: 16px 0 0; }
.or button { margin-left: 6px; }
#message { display: flex; flex-direction: column; min-height: 0; padding: 20px 24px 0; overflow-y: auto; }
.back { display: inline-block; padding: 6px 0 12px; text-decoration: none; align-self: start; }
#subject { margin: 0 0 10px; font-size: 22px; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; overflow-wrap: anywhere; }
.badge { align-self: start; margin: 0 0 10px; padding: 1px 10px; border-radius: 99px; background: var(--rust-mist); color: var(--rust); font-size: 13px; }
#envelope { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px; margin: 0 0 12px; font-size: 14px; }
#envelope dt { color: var(--soft); }
#envelope dd { margin: 0; overflow-wrap: anywhere; }
#attachments { list-style: none; display: flex; flex-wrap: wrap; gap: 8px; padding: 0; margin: 0 0 12px; font-size: 13px; }
#attachments:empty { display: none; }
#attachments a { display: block; padding: 4px 12px; border: 1px solid var(--line); border-radius: 99px; background: var(--sheet); text-decoration: none; overflow-wrap: anywhere; }
.tabs { display: flex; gap: 2px; border-bottom: 1px solid var(--line); overflow-x: auto; flex: none; }
.tabs button { border: 0; border-bottom: 2px solid transparent; border-radius: 0; background: none; color: var(--soft); padding: 7px 13px; }
.tabs button:hover:not(:disabled) { color: var(--ink); }
.tabs button:focus-visible { outline-offset: -2px; }
.tabs button[aria-selected=true] { color: var(--fjord); border-bottom-color: var(--fjord); font-weight: 600; }
#pane { flex: 1; min-height: 320px; display: flex; flex-direction: column; padding: 16px 0 24px; }
#pane:focus-visible { outline-offset: -2px; }
#pane iframe { flex: 1; width: 100%; min-height: 300px; border: 1px solid var(--line); border-radius: 10px; background: #fff; color-scheme: light; }
#pane .hint { margin: 0 0 10px; color: var(--soft); font-size: 13px; }
#pane pre { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; }
#pane .wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); flex: none; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 8px 14px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
tbody tr:last-child > * { border-bottom: 0; }
th { color: var(--soft); font-weight: 500; }
tbody th { white-space: nowrap; }
td.code { font: 13px/1.6 var(--code); }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); }
td.event { font-weight: 600; white-space: nowrap; }
td .pair { display: inline-block; margin-right: 14px; }
td .pair span { color: var(--soft); }
@media (max-width: 760px) {
  .top { padding: 10px 14px; gap: 8px; }
  .top button { padding: 5px 11px; }
  .live { font-size: 0; gap: 0; margin-left: 2px; }
  button { min-height: 40px; }
  main { display: block; overflow-y: auto; }
  nav { border-right: 0; }
  #list { overflow: visible; }
  main.open nav, main:not(.open):not(.empty) .start, main.empty nav { display: none; }
  .start { margin: 0 auto; padding: 40px 18px; }
  .command pre { padding: 14px 16px 60px; }
  .command button { top: auto; bottom: 9px; }
  #message { padding: 12px 14px 0; min-height: 100%; overflow: visible; }
  .tabs button { padding: 7px 10px; }
  tbody th { white-space: normal; width: 36%; }
  .find input { font-size: 16px; min-height: 40px; }
  .events thead { display: none; }
  .events tr { display: grid; grid-template-columns: auto 1fr; padding: 8px 14px; border-bottom: 1px solid var(--line); }
  .events tr:last-child { border-bottom: 0; }
  .events td { border: 0; padding: 2px 12px 2px 0; }
  .events td:last-child { grid-column: 1 / -1; }
}
@media (max-width: 480px) {
  .top { flex-wrap: wrap; }
  .acts { flex: 1 0 100%; gap: 8px; }
  .acts button { flex: 1; }
}
@media (min-width: 761px) { .back { display: none; } }
@media (prefers-reduced-motion: no-preference) { button, #list a { transition: background-color .12s, border-color .12s; } }
`;

/** What the pages for development share: paper, slate and fjord; light and dark. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f4f6f4; --sheet: #ffffff; --ink: #22303a; --soft: #5c6b74; --line: #dde3e0;
  --fjord: #356072; --fjord-ink: #ffffff; --mist: #e6eeef; --moss: #4b7a5b; --rust: #9a4a32; --rust-mist: #f7ebe6;
  --code: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12181c; --sheet: #192126; --ink: #dfe6e8; --soft: #93a2aa; --line: #2a353b;
    --fjord: #8bb8c8; --fjord-ink: #10181c; --mist: #21303a; --moss: #86b898; --rust: #dd9a80; --rust-mist: #33221c;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body {
  display: flex; flex-direction: column; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif;
}
a { color: var(--fjord); }
:focus-visible { outline: 2px solid var(--fjord); outline-offset: 2px; border-radius: 4px; }
`;
